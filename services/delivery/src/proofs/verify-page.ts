import type { Verification } from '@receipts/contracts';
import { html, type Html } from '@receipts/html';
import { labelsOf, type Labels } from '../rendering/labels/labels';
import { simplePage, type Page } from '../rendering/page/html-page';
import { formatsOf } from '../rendering/view/formats';

function verdictOf({ valid, reason, current }: Verification, labels: Labels): string {
  if (!valid) return reason === 'receipt_mismatch' ? labels.proofMismatch : labels.proofInvalid;
  if (current === null) return labels.proofGenuine;
  if (current) return labels.proofCurrent;
  if (reason === 'voided') return labels.proofVoided;
  return reason === 'deleted' ? labels.proofDeleted : labels.proofChanged;
}

function factsOf({ payload }: Verification, labels: Labels, locale: string): Html | undefined {
  if (!payload) return undefined;
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
  const lines = shown.map(
    ([name, value]) =>
      html`<dt>${name}</dt>
        <dd><bdi>${value}</bdi></dd>`,
  );
  return html`<section>
    <p class="name"><bdi>${retailer.name}</bdi></p>
    <dl>${lines}</dl>
  </section>`;
}

const field = (name: string, label: string) =>
  html`<p>
    <label for="${name}">${label}</label><textarea id="${name}" name="${name}" rows="4"></textarea>
  </p>`;

/** The page on which anyone can verify a proof, with the result of the last verification. The page needs no scripts. */
export function verifyPageOf(locale: string, result?: Verification): Page {
  const labels = labelsOf(locale);
  const verdict =
    result &&
    html`<section><h2 role="status">${verdictOf(result, labels)}</h2></section>
      ${factsOf(result, labels, locale)}`;
  const form = html`<form method="post" enctype="multipart/form-data">
    ${field('proof', labels.proof)} ${field('receipt', labels.proofReceipt)}
    <p><label for="file">${labels.proofFile}</label><input id="file" type="file" name="file" /></p>
    <button class="button">${labels.proofVerify}</button>
  </form>`;
  return simplePage({
    locale,
    brand: { name: labels.proofTitle },
    title: labels.proofVerify,
    content: html`${verdict}
      <section>
        <p>${labels.proofHint}</p>
        ${form}
      </section>`,
    style: 'label{display:block}textarea,input{width:100%;font:inherit;margin:.25rem 0 .75rem}',
    formAction: "'self'",
  });
}
