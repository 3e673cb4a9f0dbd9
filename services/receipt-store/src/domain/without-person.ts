import type { ReturnedReceipt } from '@receipts/contracts';

/** What receipts say of the person who bought, by the names that the platform itself gives a meaning. */
const ownNames = new Set(['email', 'phone']);
const settingsName = /_settings$/;

type Properties = Readonly<Record<string, unknown>>;

function withoutNames(properties: Properties, isPersonal: (name: string) => boolean): Properties {
  const left = Object.entries(properties).filter(([name]) => !isPersonal(name));
  return left.length === Object.keys(properties).length ? properties : Object.fromEntries(left);
}

/**
 * A receipt that names nobody: without identifier, and without the properties, of itself and of its items and their returns,
 * that name a person. Its figures stay.
 * @param personal the names of further such properties, as the retailer has set them
 */
export function withoutPerson(receipt: ReturnedReceipt, personal: readonly string[]): ReturnedReceipt {
  const names = new Set(personal);
  const isPersonal = (name: string) => ownNames.has(name) || settingsName.test(name) || names.has(name);
  return {
    ...receipt,
    identifier: null,
    properties: withoutNames(receipt.properties, isPersonal),
    items: receipt.items.map((item) => ({
      ...item,
      properties: withoutNames(item.properties, isPersonal),
      return: item.return && {
        ...item.return,
        properties: withoutNames(item.return.properties, isPersonal),
      },
    })),
  };
}
