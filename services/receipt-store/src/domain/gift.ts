import type { GiftReceipt, GiftRequest, ReturnedReceipt } from '@receipts/contracts';

/** A gift receipt, as stored with its receipt. */
export interface Gift {
  /** The version of the receipt that the gift receipt has created. It identifies the gift receipt. */
  readonly version: number;
  /** The indexes of the chosen items, in the order of the receipt. */
  readonly items: readonly number[];
  readonly message?: string;
  readonly until?: string;
  /** The id of the message that created it, so that a redelivered message creates no other. */
  readonly cause: string;
}

/** Identifies a gift receipt within a retailer. */
export interface GiftName {
  readonly receiptId: string;
  readonly version: number;
}

const receiptIdDigits = 24;
const versionDigits = 4;
/** An even number of decimal digits, because CODE128 packs two of them into one symbol. */
const codeDigits = 34;

/** The returns code: decimal digits, which make the shortest barcode and can be typed on any till. */
export function giftId({ receiptId, version }: GiftName): string {
  const hex = receiptId + version.toString(16).padStart(versionDigits, '0');
  return BigInt(`0x${hex}`).toString().padStart(codeDigits, '0');
}

const codePattern = new RegExp(`^\\d{${codeDigits}}$`);

/** Undefined for a text that is no returns code. */
export function readGiftId(text: string): GiftName | undefined {
  if (!codePattern.test(text)) return undefined;
  const hex = BigInt(text)
    .toString(16)
    .padStart(receiptIdDigits + versionDigits, '0');
  if (hex.length > receiptIdDigits + versionDigits) return undefined;
  return {
    receiptId: hex.slice(0, receiptIdDigits),
    version: Number.parseInt(hex.slice(receiptIdDigits), 16),
  };
}

/** A fault in the request, with the pointer of the member. */
export interface ChoiceFault {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

/** The chosen items of a receipt, or what is wrong with the choice. */
export function chosenItems(
  { items }: Pick<ReturnedReceipt, 'items'>,
  { items: chosen }: Pick<GiftRequest, 'items'>,
): { readonly items: readonly number[]; readonly faults: readonly ChoiceFault[] } {
  if (!chosen) {
    // Lines with a negative quantity are returns, which nobody gives away.
    const sold = [...items.keys()].filter((index) => (items[index]?.quantity ?? 0) >= 0);
    const message = 'the receipt has no items that can be given';
    return {
      items: sold,
      faults: sold.length > 0 ? [] : [{ path: '/items', code: 'invalid_value', message }],
    };
  }
  const faults = chosen.flatMap((index, n): ChoiceFault[] => {
    const path = `/items/${n}`;
    if (index >= items.length) {
      return [{ path, code: 'invalid_value', message: `the receipt has only ${items.length} items` }];
    }
    const isRepeated = chosen.indexOf(index) < n;
    return isRepeated ? [{ path, code: 'duplicate', message: 'names an item for the second time' }] : [];
  });
  return { items: chosen.toSorted((a, b) => a - b), faults };
}

type ReturnedItem = ReturnedReceipt['items'][number];

/** The name in all its languages, and the quantity, of an item. */
function givenItem({ name, quantity, unit, ...item }: ReturnedItem): GiftReceipt['items'][number] {
  const names = Object.entries(item).filter(([key]) => key.startsWith('name:'));
  return { name, quantity, unit, ...Object.fromEntries(names) };
}

/** What the recipient of a gift may see. */
export function givenReceipt(receipt: ReturnedReceipt, gift: Gift): GiftReceipt {
  const { id, localtime, l10n, store, retailer, items } = receipt;
  return {
    gift_id: giftId({ receiptId: id, version: gift.version }),
    localtime,
    l10n: { locale: l10n.locale, translation_locale: l10n.translation_locale },
    store: {
      name: store.name,
      company: store.company,
      address: store.address,
      postcode: store.postcode,
      city: store.city,
      phone: store.phone,
    },
    retailer: { name: retailer.name },
    items: gift.items.flatMap((index) => (items[index] ? [givenItem(items[index])] : [])),
    message: gift.message ?? null,
    until: gift.until ?? null,
  };
}
