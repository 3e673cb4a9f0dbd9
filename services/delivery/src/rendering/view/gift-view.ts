import type { GiftReceipt, RetailerSettings } from '@receipts/contracts';
import { mapped, type Steps } from '../in-steps';
import { labelsOf, type Labels } from '../labels/labels';
import { directionOf, localeOf, nameIn, type Reader } from '../labels/locale';
import { formatsOf } from './formats';
import { clean } from './text';
import { brandOf, paragraphs, storeLines, type ReceiptView, type StoreLine } from './view';

/** A gift receipt for display. All renderings are generated from it. */
export interface GiftView extends Pick<ReceiptView, 'locale' | 'ownLocale' | 'direction'> {
  readonly labels: Labels;
  readonly brand: Pick<ReceiptView['brand'], 'name' | 'logo' | 'colour'>;
  readonly store: readonly StoreLine[];
  readonly date: string;
  readonly items: readonly { readonly name: string; readonly quantity: string }[];
  /** Its lines; empty if there is none. */
  readonly message: readonly string[];
  /** The last day on which the items can be returned. */
  readonly until: string | null;
  /** The returns code. */
  readonly code: string;
}

/** Formats a gift receipt for one reader. The texts of the brand are left out, because they may name taxes. Pure. */
export function* giftViewInSteps(
  gift: GiftReceipt,
  settings: RetailerSettings,
  reader: Reader,
): Steps<GiftView> {
  const locale = localeOf(gift, reader, settings.locale);
  const formats = formatsOf(locale, settings.currency);
  const { name, logo, colour } = brandOf(settings, gift.store.company ?? gift.retailer.name, locale);
  return {
    locale,
    ownLocale: localeOf(gift, {}, settings.locale),
    direction: directionOf(locale),
    labels: labelsOf(locale),
    brand: { name, logo, colour },
    store: storeLines(gift),
    date: formats.date(gift.localtime),
    items: yield* mapped(gift.items, (item) => {
      const quantity = formats.quantity(item.quantity);
      return {
        name: clean(nameIn(item, locale)),
        quantity: item.unit ? `${quantity}\u00a0${clean(item.unit)}` : quantity,
      };
    }),
    message: paragraphs(gift.message),
    until: gift.until === null ? null : formats.date(`${gift.until}T00:00:00`),
    code: gift.gift_id,
  };
}
