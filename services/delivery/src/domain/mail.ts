import type { ReturnedReceipt } from '@receipts/contracts';

export interface Mail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text from a till can hold anything; in a page it is only ever text. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** One line of text. Control characters and overrides of the writing direction would let it pretend to be another. */
function clean(text: string): string {
  return (
    text
      .replace(/\s+/g, ' ')
      // eslint-disable-next-line no-control-regex
      .replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
      .trim()
  );
}

const fallbackLocale = 'en-GB';

/** What a retailer may write as a locale is more than what numbers can be written in. */
function knownLocale(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag.replaceAll('_', '-'))[0] ?? fallbackLocale;
  } catch {
    return fallbackLocale;
  }
}

function formats(receipt: ReturnedReceipt) {
  const locale = knownLocale(receipt.l10n.translation_locale ?? receipt.l10n.locale);
  const money = new Intl.NumberFormat(locale, { style: 'currency', currency: receipt.l10n.currency });
  const quantity = new Intl.NumberFormat(locale, { maximumFractionDigits: 3 });
  return {
    money: (amount: number) => money.format(amount),
    quantity: (amount: number) => quantity.format(amount),
  };
}

/** The name in the language of the receipt's reader, where there is one. */
function nameOf(item: ReturnedReceipt['items'][number], receipt: ReturnedReceipt): string {
  const tag = (receipt.l10n.translation_locale ?? receipt.l10n.locale).replaceAll('-', '_');
  const language = tag.split('_')[0] ?? tag;
  return clean(item[`name:${tag}`] ?? item[`name:${language}`] ?? item.name);
}

/** A receipt as a mail: what was bought, what it came to, where and when. */
export function mailOf(receipt: ReturnedReceipt): Mail {
  const { money, quantity } = formats(receipt);
  const where = clean(receipt.store.name ?? receipt.retailer.name);
  const when = receipt.localtime.slice(0, 16).replace('T', ' ');
  const rows = receipt.items.map((item) => ({
    quantity: quantity(item.quantity),
    name: nameOf(item, receipt),
    total: money(item.total),
  }));
  const total = money(receipt.total);
  const text = [
    where,
    ...receipt.store.address.map(clean),
    when,
    '',
    ...rows.map((row) => `${row.quantity} x ${row.name}  ${row.total}`),
    '',
    `Total ${total}`,
    ...receipt.payments.map((payment) => `${clean(payment.method)} ${money(payment.amount)}`),
    '',
    clean(receipt.transaction_id),
  ].join('\n');
  const lines = rows
    .map(
      (row) =>
        `<tr><td>${escapeHtml(row.quantity)}</td><td>${escapeHtml(row.name)}</td><td align="right">${escapeHtml(row.total)}</td></tr>`,
    )
    .join('');
  const html =
    `<!doctype html><html><body><h1>${escapeHtml(where)}</h1><p>${escapeHtml(when)}</p>` +
    `<table>${lines}<tr><td></td><td><b>Total</b></td><td align="right"><b>${escapeHtml(total)}</b></td></tr></table>` +
    `<p>${escapeHtml(clean(receipt.transaction_id))}</p></body></html>`;
  return { subject: `${clean(receipt.retailer.name)}: ${total}`, text, html };
}
