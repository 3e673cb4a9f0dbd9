import type { Store } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { html, type Html } from '@receipts/html';
import { choice } from '../../pages/form-fields';
import { hasReference } from '../../registry-records';
import type { SignedIn } from '../signed-in';

const referenceOf = ({ reference, external_reference: external }: Store) => external ?? String(reference);

/** How a page names a store. */
export function storeName(reference: string, stores: readonly Store[]): string {
  const store = stores.find((known) => hasReference(known, [reference]));
  return store ? `${store.name} (${reference})` : reference;
}

const scopeChoice = (value: 'all' | 'some', label: string, isChosen: boolean): Html =>
  choice({ type: 'radio', name: 'scope', value, label, isChosen });

/**
 * A choice between all stores and some of them.
 * @param chosen the references of the chosen stores; null for all
 * @param allLabel what all stores are called; by default, users who are restricted to stores cannot choose all
 */
export function storeChoice(
  stores: readonly Store[],
  chosen: readonly string[] | null,
  who: SignedIn,
  allLabel = who.stores ? undefined : who.language.t('stores.all'),
): Html {
  const { t } = who.language;
  const options = stores.map((store) => {
    const reference = chosen?.find((text) => hasReference(store, [text])) ?? referenceOf(store);
    return { reference, label: `${store.name} (${reference})` };
  });
  const unknown = (chosen ?? []).filter((text) => !stores.some((store) => hasReference(store, [text])));
  const all = [...options, ...unknown.map((reference) => ({ reference, label: reference }))];
  return html`<fieldset>
    <legend>${t('stores')}</legend>
    ${
      allLabel === undefined
        ? html`<input type="hidden" name="scope" value="some" />`
        : html`${scopeChoice('all', allLabel, !chosen)}
          ${scopeChoice('some', t('stores.some'), chosen !== null)}`
    }
    <div class="choices">
      ${all.map(({ reference: value, label }) => choice({ name: 'stores', value, label, isChosen: chosen?.includes(value) ?? false }))}
    </div>
  </fieldset>`;
}

interface SentChoice {
  readonly scope?: 'all' | 'some' | undefined;
  readonly stores?: string | string[] | undefined;
}

/**
 * The stores in a form: null for all, undefined if the form has no such choice.
 * @throws ServiceError 422 if no store is chosen
 */
export function chosenStores({ scope, stores = [] }: SentChoice, who: SignedIn): string[] | null | undefined {
  if (scope === undefined) return undefined;
  if (scope === 'all') return null;
  const chosen = [stores].flat();
  if (chosen.length > 0) return chosen;
  throw new ServiceError({ status: 422, description: who.language.t('stores.none') });
}
