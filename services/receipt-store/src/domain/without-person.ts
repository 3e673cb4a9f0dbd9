import type { ReturnedReceipt } from '@receipts/contracts';

/** The properties with personal data that the platform itself defines. */
const ownNames = new Set(['email', 'phone']);
const settingsName = /_settings$/;
/** Parts of a receipt whose members are free, wherever they are in it. */
const freeParts = new Set(['properties', 'dynamic']);

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null;

/** The value without the members with personal names, at any depth. */
function withoutNames(value: unknown, isPersonal: (name: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((each: unknown) => withoutNames(each, isPersonal));
  if (!isObject(value)) return value;
  const left = Object.entries(value).filter(([name]) => !isPersonal(name));
  return Object.fromEntries(left.map(([name, each]) => [name, withoutNames(each, isPersonal)]));
}

/** Removes personal names from all free parts of a value: those of a receipt, its items, discounts, taxes and returns. */
function withoutPersonalParts(value: unknown, isPersonal: (name: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((each: unknown) => withoutPersonalParts(each, isPersonal));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      freeParts.has(name) ? withoutNames(each, isPersonal) : withoutPersonalParts(each, isPersonal),
    ]),
  );
}

/**
 * A receipt without personal data: without its identifier, its attachments, whose names may identify a person too, and
 * the free properties that identify a person. Amounts are kept.
 * @param personal the names of further such properties, from the retailer's settings
 */
export function withoutPerson(receipt: ReturnedReceipt, personal: readonly string[]): ReturnedReceipt {
  const names = new Set(personal);
  const isPersonal = (name: string) => ownNames.has(name) || settingsName.test(name) || names.has(name);
  const { store, ...own } = receipt;
  const left = withoutPersonalParts(own, isPersonal) as Omit<ReturnedReceipt, 'store'>;
  // The properties of the store describe the store.
  return { ...receipt, ...left, store, identifier: null, attachments: {} };
}
