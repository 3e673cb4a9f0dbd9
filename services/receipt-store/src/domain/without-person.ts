import type { ReturnedReceipt } from '@receipts/contracts';

/** The properties with personal data that the platform itself defines. */
const ownNames = new Set(['email', 'phone']);
const settingsName = /_settings$/;

type Properties = Readonly<Record<string, unknown>>;

function withoutNames(properties: Properties, isPersonal: (name: string) => boolean): Properties {
  const left = Object.entries(properties).filter(([name]) => !isPersonal(name));
  return left.length === Object.keys(properties).length ? properties : Object.fromEntries(left);
}

/**
 * A receipt without personal data: the identifier is removed, and so are the properties of the receipt, its items and
 * their returns that identify a person. Amounts are kept.
 * @param personal the names of further such properties, from the retailer's settings
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
