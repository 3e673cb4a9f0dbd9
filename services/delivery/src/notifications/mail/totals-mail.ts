import { paymentMethodName, type PortalLanguage, type TotalsRow } from '@receipts/contracts';
import { html, type Html } from '@receipts/html';
import { labelsOf } from '../../rendering/labels/labels';
import type { Mail } from '../../rendering/mail/mail';
import { mailButton, onOneLine, portalLocales, portalMail } from '../../rendering/mail/portal-mail';
import { formatsOf } from '../../rendering/view/formats';
import { footerHtml, footerText, type MailLinks } from './footer';
import { filled, notificationTexts } from './texts';

export interface StoreTotals {
  readonly store: string;
  readonly row: TotalsRow;
}

export interface DailyTotals {
  readonly retailer: string;
  readonly day: string;
  /** Sorted by store. Stores with several currencies have a row for each. */
  readonly stores: readonly StoreTotals[];
  /** The totals of all these stores, one row for each currency. */
  readonly overall: readonly TotalsRow[];
}

/** The first rows of a retailer with many stores; the portal shows all. */
const rowsMax = 200;

const cell = 'padding:8px 0 4px 12px;vertical-align:top;text-align:right;white-space:nowrap';
const firstCell = 'padding:8px 0 4px;vertical-align:top;text-align:left;overflow-wrap:anywhere';
const line = 'border-top:1px solid rgba(128,128,128,.4)';

/** How the amounts of a row were paid, and what was voided. */
function details({ payments, voids, currency }: TotalsRow, language: PortalLanguage): string {
  const locale = portalLocales[language];
  const labels = labelsOf(locale);
  const { money } = formatsOf(locale, currency);
  const paid = payments.map(
    (payment) =>
      `${paymentMethodName(payment.method, (kind) => labels[kind])} ${money(payment.amount, payment.currency)}`,
  );
  const { voided } = notificationTexts[language];
  return [
    ...paid,
    ...(voids.receipts > 0 ? [`${voided}: ${voids.receipts} (${money(voids.total)})`] : []),
  ].join(' · ');
}

function figures({ receipts, returns, total, currency }: TotalsRow, language: PortalLanguage) {
  const { money, quantity } = formatsOf(portalLocales[language], currency);
  return [quantity(receipts), money(returns.total), money(total)] as const;
}

function rowHtml(name: string, row: TotalsRow, language: PortalLanguage, isOverall = false): Html {
  const weight = isOverall ? ';font-weight:bold' : '';
  const paid = details(row, language);
  return html`<tr>
      <td style="${firstCell};${line}${weight}"><bdi>${name}</bdi></td>
      ${figures(row, language).map((text) => html`<td style="${cell};${line}${weight}">${text}</td>`)}
    </tr>
    ${
      paid !== '' &&
      html`<tr>
        <td colspan="4" style="font-size:13px;opacity:.8;padding-bottom:8px">${paid}</td>
      </tr>`
    }`;
}

/** The e-mail with a day's totals, one row for each store. It names no consumer. */
export function totalsMail(
  { retailer, day, stores, overall }: DailyTotals,
  language: PortalLanguage,
  links: MailLinks,
): Mail {
  const texts = notificationTexts[language];
  const format = new Intl.DateTimeFormat(portalLocales[language], { dateStyle: 'long', timeZone: 'UTC' });
  const values = { name: onOneLine(retailer), day: format.format(new Date(`${day}T00:00:00Z`)) };
  const address = `${links.publicUrl}/portal/totals?${new URLSearchParams({ from: day, to: day, by: 'store' }).toString()}`;
  const shown = stores.slice(0, rowsMax);
  const rows = [
    ...shown.map(({ store, row }) => ({ name: store, row, isOverall: false })),
    ...(stores.length === 1 ? [] : overall.map((row) => ({ name: texts.allStores, row, isOverall: true }))),
  ];
  const heads = [texts.receipts, texts.returns, texts.total];
  const textOf = ({ name, row }: (typeof rows)[number]) => {
    const [receipts, returns, total] = figures(row, language);
    const own = `${name}\n  ${texts.receipts}: ${receipts}, ${texts.returns}: ${returns}, ${texts.total}: ${total}`;
    const paid = details(row, language);
    return paid === '' ? own : `${own}\n  ${paid}`;
  };
  return portalMail({
    language,
    title: filled(texts.totals, values),
    subject: filled(texts.totalsSubject, values),
    text: `${filled(texts.totals, values)}\n\n${rows.map(textOf).join('\n\n')}\n\n${texts.late}\n${texts.openTotals}: ${address}\n\n${footerText(language, links)}`,
    content: html`<table style="width:100%;border-collapse:collapse;font:15px/1.4 Arial,Helvetica,sans-serif">
        <tr>
          <th scope="col" style="${firstCell}">${texts.store}</th>
          ${heads.map((head) => html`<th scope="col" style="${cell}">${head}</th>`)}
        </tr>
        ${rows.map(({ name, row, isOverall }) => rowHtml(name, row, language, isOverall))}
      </table>
      <p>${texts.late}</p>
      <p>${mailButton(address, texts.openTotals)}</p>
      ${footerHtml(language, links)}`,
  });
}
