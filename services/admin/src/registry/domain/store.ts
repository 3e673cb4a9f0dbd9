import { patchedStore, type PostedStore, type Store, type StoreRecord } from '@receipts/contracts';
import { applyPatch, checkIfMatch, type Path } from '@receipts/json-patch';
import { check, schemaValidationFailed, ServiceError, timestampOf } from '@receipts/kernel';

/** The store as returned, with the members in the order of the interface's table. */
export function storeOf({ retailer: _retailer, version: _version, ...store }: StoreRecord): Store {
  return store;
}

/** Missing members become null, like explicit null; free-form objects become `{}`. */
function fieldsOf(posted: Omit<PostedStore, 'reference'>) {
  return {
    external_reference: posted.external_reference ?? null,
    name: posted.name,
    address: posted.address ?? [],
    city: posted.city ?? null,
    postcode: posted.postcode ?? null,
    country: posted.country,
    phone: posted.phone ?? null,
    vatno: posted.vatno ?? null,
    company: posted.company ?? null,
    locale: posted.locale ?? null,
    timezone: posted.timezone ?? null,
    currency: posted.currency ?? null,
    properties: posted.properties === undefined ? {} : posted.properties,
    settings: posted.settings === undefined ? {} : posted.settings,
  };
}

/** @param allotted the ids assigned to the store */
export function newStore(
  retailer: string,
  posted: PostedStore,
  allotted: { readonly id: number; readonly reference: number },
  now: Date,
): StoreRecord {
  return { ...allotted, ...fieldsOf(posted), updated_timestamp: timestampOf(now), retailer, version: 1 };
}

/** The next version of a store, or the same object if nothing has changed. */
function changed(current: StoreRecord, fields: Partial<StoreRecord>, now: Date): StoreRecord {
  const next = { ...current, ...fields };
  if (JSON.stringify(next) === JSON.stringify(current)) return current;
  return { ...next, updated_timestamp: timestampOf(now), version: current.version + 1 };
}

const fixedFields: ReadonlySet<string> = new Set(['id', 'updated_timestamp']);

function isModifiable([field]: Path): boolean {
  return field !== undefined && !fixedFields.has(field);
}

/**
 * Applies a JSON Patch to the store as returned by GET.
 * @returns the same object if the patch changes nothing
 * @throws ServiceError 412, the errors of `applyPatch`, and 422 `schema_validation_failed` if the result is not a valid
 * store
 */
export function patchStore(
  current: StoreRecord,
  patch: unknown,
  ifMatch: string | undefined,
  now: Date,
): StoreRecord {
  checkIfMatch(ifMatch, current.version);
  const patched = check(patchedStore, applyPatch(storeOf(current), patch, { isModifiable }));
  return changed(current, { reference: patched.reference, ...fieldsOf(patched) }, now);
}

/**
 * A store that was posted with a receipt, with the value of the receipt's `store_reference`. Digits are its reference,
 * unless they equal its external reference; any other text is its external reference.
 * @param found the existing store with this reference
 * @throws ServiceError 422 if the posted store contains a different reference
 */
export function namedByReceipt(
  reference: string | number,
  posted: PostedStore,
  found: StoreRecord | undefined,
): PostedStore {
  const number = typeof reference === 'number' ? reference : referenceNumber(reference);
  const isExternal =
    typeof reference === 'string' &&
    (number === undefined || [found, posted].some((store) => store?.external_reference === reference));
  const name = isExternal ? 'external_reference' : 'reference';
  const named: PostedStore = { ...posted, [name]: isExternal ? reference : number };
  if ((posted[name] ?? named[name]) === named[name]) return named;
  const fault = {
    path: `/store/${name}`,
    code: 'invalid_value',
    message: 'must equal store_reference',
  };
  throw new ServiceError(schemaValidationFailed, { errors: [fault] });
}

/** Updates a store with the fields that were posted with a receipt; missing fields are not changed. */
export function updateFromReceipt(current: StoreRecord, posted: PostedStore, now: Date): StoreRecord {
  const given = Object.entries(posted).filter(([, value]) => value !== undefined && value !== null);
  return changed(current, Object.fromEntries(given), now);
}

/** The `reference` that a string of digits denotes, ignoring leading zeros; undefined for any other text. */
export function referenceNumber(text: string): number | undefined {
  if (!/^\d{1,20}$/.test(text)) return undefined;
  const reference = Number(text);
  return reference >= 1 && Number.isSafeInteger(reference) ? reference : undefined;
}

/** Whether a store has one of these references. */
export function hasReference(
  { reference, external_reference: external }: Pick<StoreRecord, 'reference' | 'external_reference'>,
  references: readonly string[],
): boolean {
  return references.some((text) => text === external || referenceNumber(text) === reference);
}
