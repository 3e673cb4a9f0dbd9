import type { ReturnedItem, ReturnedReceipt } from '@receipts/contracts';
import { moneyFormat, quantityFormat, timeText } from '../pages/formats';
import { html, type Html } from '../pages/html';

interface Formats {
  readonly money: (amount: number) => string;
  readonly quantity: (quantity: number) => string;
  readonly language: string;
  /** Strikes through what no longer holds. */
  readonly struck: (text: string) => Html | string;
}

/** The item's name in the language of the receipt, if there is one. */
function nameOf(item: ReturnedItem, language: string): string {
  const tag = language.replaceAll('-', '_');
  return item[`name:${tag}`] ?? item[`name:${tag.split('_')[0]}`] ?? item.name;
}

const discountRows = (discounts: ReturnedReceipt['discounts'], money: Formats['money']) =>
  discounts.map(
    (discount) =>
      html`<tr>
        <td></td>
        <th scope="row">${discount.name}</th>
        <td class="sum">${money(discount.amount)}</td>
      </tr>`,
  );

function itemRow(item: ReturnedItem, { money, quantity, language, struck }: Formats): Html {
  const returned = item.return && `Returned${item.return.reason === null ? '' : `: ${item.return.reason}`}`;
  return html`<tr>
      <td>${quantity(item.quantity)}${item.unit && ` ${item.unit}`}</td>
      <td>${struck(nameOf(item, language))}${returned && html`<small>${returned}</small>`}</td>
      <td class="sum">${struck(money(item.total))}</td>
    </tr>
    ${discountRows(item.discounts, money)}`;
}

const summed = (label: string, text: Html | string, className = '') =>
  html`<tr class="${className}">
    <th scope="row" colspan="2">${label}</th>
    <td class="sum">${text}</td>
  </tr>`;

function taxRows(receipt: ReturnedReceipt, money: Formats['money']): readonly Html[] {
  const rate = (percent: number | null) => (percent === null ? '' : ` ${percent} %`);
  if (receipt.taxes.length > 0) {
    return receipt.taxes.map((tax) => summed(`${tax.name}${rate(tax.rate)}`, money(tax.amount)));
  }
  return receipt.vat.map((vat) => summed(`VAT${rate(vat.rate)}`, money(vat.amount)));
}

/** A receipt as its consumer sees it. */
export function receiptPaper(receipt: ReturnedReceipt, brand: string | null): Html {
  const { store, l10n } = receipt;
  const language = l10n.translation_locale ?? l10n.locale;
  const money = moneyFormat(language, l10n.currency);
  const struck = (text: string) => (receipt.voided ? html`<s>${text}</s>` : text);
  const formats = { struck, money, quantity: quantityFormat(language), language };
  const place = [store.postcode, store.city].filter((part) => part !== null).join(' ');
  return html`<article class="card paper" aria-labelledby="shop">
    <div class="head">
      <h2 id="shop" class="shop">${brand ?? receipt.retailer.name}</h2>
      <p>${store.name}</p>
      ${store.address.map((line) => html`<p>${line}</p>`)}
      <p>${place}</p>
      <p>${timeText(receipt.localtime)}</p>
      ${receipt.voided && html`<p><strong>This receipt was voided.</strong></p>`}
    </div>
    <table>
      <caption class="visually-hidden">
        What was bought
      </caption>
      <thead>
        <tr>
          <th scope="col">Qty</th>
          <th scope="col">Item</th>
          <th scope="col" class="sum">Total</th>
        </tr>
      </thead>
      <tbody>
        ${receipt.items.map((item) => itemRow(item, formats))}
      </tbody>
      <tfoot>
        ${discountRows(receipt.discounts, money)} ${summed('Total', struck(money(receipt.total)), 'total')}
        ${taxRows(receipt, money)}
        ${receipt.payments.map((payment) => summed(`Paid: ${payment.method}`, money(payment.amount)))}
      </tfoot>
    </table>
  </article>`;
}
