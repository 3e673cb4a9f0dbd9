import type { Verification } from '@receipts/contracts';
import { escapeHtml as e } from '@receipts/html';
import { labelsOf, type Labels } from '../rendering/labels/labels';
import { simplePage, type Page } from '../rendering/page/page';
import { formatsOf } from '../rendering/view/formats';

function verdictOf({ valid, reason, current }: Verification, labels: Labels): string {
  if (!valid) return reason === 'receipt_mismatch' ? labels.proofMismatch : labels.proofInvalid;
  if (current === null) return labels.proofGenuine;
  if (current) return labels.proofCurrent;
  if (reason === 'voided') return labels.proofVoided;
  return reason === 'deleted' ? labels.proofDeleted : labels.proofChanged;
}

function factsOf({ payload }: Verification, labels: Labels, locale: string): string {
  if (!payload) return '';
  const { retailer, transaction_id, localtime, total, currency, store } = payload;
  const { dateTime, money } = formatsOf(locale, currency);
  const place = [store.name, store.city, store.country].filter((part) => part !== null).join(', ');
  const facts: readonly (readonly [string, string | null])[] = [
    [labels.vatNumber, retailer.vatno],
    [labels.number, transaction_id],
    [labels.date, dateTime(localtime)],
    [labels.total, money(total)],
    [labels.store, place],
  ];
  const shown = facts.filter(([, value]) => value !== null && value !== '');
  const lines = shown.map(([name, value]) => `<dt>${e(name)}</dt><dd><bdi>${e(value ?? '')}</bdi></dd>`);
  return `<section><p class="name"><bdi>${e(retailer.name)}</bdi></p><dl>${lines.join('')}</dl></section>`;
}

const field = (name: string, label: string) =>
  `<p><label for="${name}">${e(label)}</label><textarea id="${name}" name="${name}" rows="4"></textarea></p>`;

/** The page on which anyone can verify a proof, with the result of the last verification. The page needs no scripts. */
export function verifyPageOf(locale: string, result?: Verification): Page {
  const labels = labelsOf(locale);
  const verdict = result
    ? `<section><h2 role="status">${e(verdictOf(result, labels))}</h2></section>${factsOf(result, labels, locale)}`
    : '';
  const form =
    '<form method="post" enctype="multipart/form-data">' +
    field('proof', labels.proof) +
    field('receipt', labels.proofReceipt) +
    `<p><label for="file">${e(labels.proofFile)}</label><input id="file" type="file" name="file"></p>` +
    `<button class="button">${e(labels.proofVerify)}</button></form>`;
  return simplePage({
    locale,
    brand: { name: labels.proofTitle },
    title: labels.proofVerify,
    content: `${verdict}<section>${form}</section>`,
    style: 'label{display:block}textarea,input{width:100%;font:inherit;margin:.25rem 0 .75rem}',
    formAction: "'self'",
  });
}
