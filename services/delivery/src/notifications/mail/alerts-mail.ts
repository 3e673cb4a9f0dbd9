import type { PortalLanguage } from '@receipts/contracts';
import { html } from '@receipts/html';
import type { Mail } from '../../rendering/mail/mail';
import { mailButton, onOneLine, portalLocales, portalMail } from '../../rendering/mail/portal-mail';
import { causesOfTypeMax, type AlertCause, type FurtherCauses } from '../domain/alerts';
import { footerHtml, footerText, type MailLinks } from './footer';
import { filled, notificationTexts } from './texts';

/** The causes with the same page in the portal. */
interface Section {
  readonly lines: readonly string[];
  readonly path: string;
  readonly link: string;
}

type CauseOf<T extends AlertCause['type']> = Extract<AlertCause, { readonly type: T }>;

/** How a store is called, and when something happened there. */
export interface Place {
  readonly name: string;
  readonly timeZone: string;
}

export interface Warnings {
  readonly retailer: string;
  readonly causes: readonly AlertCause[];
  /** Causes that are only counted. */
  readonly further: readonly FurtherCauses[];
  /** True if there may be more than are counted. */
  readonly isAtLeast: boolean;
  readonly placeOf: (store: string) => Place;
}

function tillLine(
  { store, till, at, isBack }: CauseOf<'silent_tills'>,
  placeOf: Warnings['placeOf'],
  language: PortalLanguage,
): string {
  const texts = notificationTexts[language];
  const { name, timeZone } = placeOf(store);
  const format = { dateStyle: 'medium', timeStyle: 'short', timeZone } as const;
  const time = new Intl.DateTimeFormat(portalLocales[language], format).format(new Date(at));
  const values = { till: onOneLine(till ?? texts.noTill), store: onOneLine(name), time };
  return filled(isBack ? texts.tillBack : texts.silentTill, values);
}

function sectionsOf({ causes, further, isAtLeast, placeOf }: Warnings, language: PortalLanguage): Section[] {
  const texts = notificationTexts[language];
  const number = new Intl.NumberFormat(portalLocales[language]);
  const of = <T extends AlertCause['type']>(type: T) =>
    causes.filter((cause): cause is CauseOf<T> => cause.type === type);
  const furtherOf = (type: AlertCause['type']) =>
    further.reduce((sum, one) => (one.type === type ? sum + one.count : sum), 0);
  const counted = (line: string, kept: number, more: number) => {
    if (kept + more === 0) return [];
    const areMore = isAtLeast && (more > 0 || kept >= causesOfTypeMax);
    return [filled(line, { count: number.format(kept + more) + (areMore ? '+' : '') })];
  };
  return [
    {
      lines: [
        ...of('silent_tills').map((cause) => tillLine(cause, placeOf, language)),
        ...counted(texts.moreTills, 0, furtherOf('silent_tills')),
      ],
      path: 'tills',
      link: texts.openTills,
    },
    {
      lines: counted(texts.failedPackets, of('failed_packets').length, furtherOf('failed_packets')),
      path: 'packets',
      link: texts.openPackets,
    },
    {
      lines: [
        ...of('disabled_webhooks').map(({ key, description }) =>
          filled(texts.disabledWebhooks, { endpoint: onOneLine(description ?? '') || key }),
        ),
        ...counted(texts.moreWebhooks, 0, furtherOf('disabled_webhooks')),
      ],
      path: 'webhooks',
      link: texts.openWebhooks,
    },
    {
      lines: of('failing_checks').map(({ failed, receipts }) =>
        filled(texts.failingChecks, { failed: number.format(failed), receipts: number.format(receipts) }),
      ),
      path: 'checks',
      link: texts.openChecks,
    },
  ].filter(({ lines }) => lines.length > 0);
}

/** One e-mail for all causes. It names no consumer. */
export function alertsMail(warnings: Warnings, language: PortalLanguage, links: MailLinks): Mail {
  const texts = notificationTexts[language];
  const sections = sectionsOf(warnings, language);
  const [first = '', ...others] = sections.flatMap(({ lines }) => lines);
  const more = others.length === 0 ? '' : ` (+${others.length})`;
  const address = ({ path }: Section) => `${links.publicUrl}/portal/${path}`;
  const deps = sections.map(
    (section) =>
      html`${section.lines.map((text) => html`<p><bdi>${text}</bdi></p>`)}
        <p>${mailButton(address(section), section.link)}</p>`,
  );
  const text = sections
    .map((section) => `${section.lines.join('\n')}\n${section.link}: ${address(section)}`)
    .join('\n\n');
  return portalMail({
    language,
    title: texts.alerts,
    subject: `${onOneLine(warnings.retailer)}: ${first}${more}`,
    text: `${text}\n\n${footerText(language, links)}`,
    content: html`${deps} ${footerHtml(language, links)}`,
  });
}
