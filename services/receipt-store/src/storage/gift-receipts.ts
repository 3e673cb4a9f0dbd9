import type { Collection, Filter } from 'mongodb';
import {
  giftEnded,
  giftNotFound,
  giftReceiptsMax,
  receiptDeletedError,
  receiptNotFound,
  receiptVoidedError,
  tooManyGiftReceipts,
  type GiftRequest,
  type ReturnedReceipt,
} from '@receipts/contracts';
import { isConfined, originOf, schemaValidationFailed, ServiceError, type Call } from '@receipts/kernel';
import {
  deadlineSignal,
  majorityRead,
  outboxItem,
  updateVersioned,
  type OutboxRelay,
} from '@receipts/storage';
import { chosenItems, type Gift, type GiftName } from '../domain/gift';
import { isVisible, type Visible } from '../domain/visible-receipts';
import type { Arrivals } from './arrivals';
import { publishedAfter } from './published-events';
import type { ReceiptDocument, StoredReceipt } from './receipt-document';
import { giftCreatedEvent } from './receipt-event';

/** The links of a gift receipt contain its version in two bytes. */
const versionMax = 0xffff;

interface Request {
  readonly gift: GiftRequest;
  readonly visible: Visible;
}

interface FoundGift {
  readonly receipt: ReturnedReceipt;
  readonly gift: Gift;
}

/** @throws ServiceError 422 if the receipt cannot have this gift receipt */
function decided(receipt: ReturnedReceipt, current: ReceiptDocument, request: GiftRequest, call: Call): Gift {
  if (receipt.voided) throw new ServiceError(receiptVoidedError);
  const { items, faults } = chosenItems(receipt, request);
  if (faults.length > 0) throw new ServiceError(schemaValidationFailed, { errors: [...faults] });
  const version = current.version + 1;
  if ((current.gifts?.length ?? 0) >= giftReceiptsMax || version > versionMax) {
    throw new ServiceError(tooManyGiftReceipts);
  }
  const { message, until } = request;
  return {
    version,
    items,
    cause: call.id,
    ...(message !== undefined && { message }),
    ...(until !== undefined && { until }),
  };
}

/**
 * Gift receipts are kept in the document of their receipt, so that they end with it: a deletion or an erasure removes
 * them in the same write.
 */
export class GiftReceipts {
  constructor(
    private readonly collection: Collection<StoredReceipt>,
    private readonly arrivals: Pick<Arrivals, 'unpublishedEvents'>,
    private readonly relay: Pick<OutboxRelay<StoredReceipt>, 'enqueue'>,
    private readonly now: () => Date,
  ) {}

  /**
   * @returns undefined if the retailer has no such receipt
   * @throws ServiceError 404, 410 `receipt_deleted`, 422
   */
  async add(receiptId: string, { gift: request, visible }: Request, call: Call): Promise<Gift | undefined> {
    const saved = await updateVersioned<StoredReceipt, { gift: Gift; outbox: ReceiptDocument['outbox'] }>({
      collection: this.collection,
      retailer: call.retailer,
      id: receiptId,
      signal: () => deadlineSignal(call),
      decide: async (current) => {
        if ('deleted_at' in current) {
          throw new ServiceError(isConfined(call) ? receiptNotFound : receiptDeletedError);
        }
        if (!('text' in current) || !isVisible(current, visible)) throw new ServiceError(receiptNotFound);
        const again = current.gifts?.find(({ cause }) => cause === call.id);
        if (again) return { result: { gift: again, outbox: [] } };
        const { text, published = [], gifts = [] } = current;
        const receipt = JSON.parse(text) as ReturnedReceipt;
        const gift = decided(receipt, current, request, call);
        const first = await this.arrivals.unpublishedEvents(current);
        const at = this.now();
        const { version } = gift;
        const event = giftCreatedEvent(gift)({ receipt, text, version }, originOf(call, at));
        const outbox = [...first, event].map(outboxItem);
        const $set = {
          gifts: [...gifts, gift],
          changed_at: at,
          published: publishedAfter(published, [event], { version, by: call.principal.id }),
        };
        return {
          update: { $set },
          outbox,
          result: { gift, outbox: [...(current.outbox ?? []), ...outbox] },
        };
      },
    });
    const items = saved?.outbox ?? [];
    if (items.length > 0) this.relay.enqueue([{ _id: receiptId, items }]);
    return saved?.gift;
  }

  /** @throws ServiceError 404 `gift_not_found`, 410 `gift_ended` */
  async find(
    { receiptId, version }: GiftName,
    visible: Visible,
    call: Pick<Call, 'retailer' | 'deadline' | 'consumers' | 'stores'>,
  ): Promise<FoundGift> {
    const { retailer } = call;
    const filter: Filter<StoredReceipt> = { _id: receiptId, retailer };
    const projection = { text: 1, version: 1, gifts: 1, identifier: 1, store_key: 1, erased: 1 };
    const found = await this.collection.findOne(filter, { projection, ...majorityRead(call) });
    const hasExisted = found !== null && version <= found.version;
    if (!hasExisted) throw new ServiceError(giftNotFound);
    if (!('text' in found)) throw new ServiceError(isConfined(call) ? giftNotFound : giftEnded);
    if (!isVisible(found, visible)) throw new ServiceError(giftNotFound);
    const gift = found.gifts?.find((one) => one.version === version);
    const receipt = JSON.parse(found.text) as ReturnedReceipt;
    if (!gift && !found.erased) throw new ServiceError(giftNotFound);
    if (!gift || receipt.voided) throw new ServiceError(giftEnded);
    return { receipt, gift };
  }
}
