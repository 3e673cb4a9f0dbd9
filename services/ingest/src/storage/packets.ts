import type { Collection, Filter, UpdateFilter } from 'mongodb';
import type { FailureReason, PacketState } from '@receipts/contracts';
import type { RequestKey, TimeLimit } from '@receipts/kernel';
import { deadlineSignal, isDuplicateKey, isKeyExpired, updateVersioned } from '@receipts/storage';
import type { Packet } from '../domain/packet-state';
import { nextRetryAt } from '../domain/next-retry-at';
import {
  bytesOf,
  hasContent,
  linkKey,
  packetOf,
  requestKeyName,
  severalReceipts,
  type PacketKeys,
  type PacketDocument,
  type PacketWithoutBytes,
} from './packet-document';

/** The maximum number of idempotency keys of one packet, so that retries do not make it grow. */
const requestsMax = 100;

const noBytes = { projection: { raw: 0, outbox: 0 } } as const;

/** The id of a packet, or one of its keys. */
export type PacketName = { readonly _id: string } | { readonly keys: string };

export type NamedState = Pick<PacketDocument, '_id' | 'keys' | 'status' | 'reason' | 'receiptIds'>;

const stateShown = { keys: 1, status: 1, reason: 1, receiptIds: 1 };

export interface PacketSelection {
  readonly status?: PacketState | undefined;
  readonly reason?: FailureReason | undefined;
  readonly older?: string | undefined;
  readonly count: number;
}

interface Reprocessing {
  /** The id of the request; for a retry, that of the first request. */
  readonly by: string;
  readonly now: Date;
  readonly timeLimit: TimeLimit;
}

/** The packets of all retailers. Every query is limited to one retailer. */
export class Packets {
  constructor(private readonly collection: Collection<PacketDocument>) {}

  /**
   * Records that a request returned this packet, and forgets requests whose keys have expired, and the oldest beyond a
   * limit. A retry of a forgotten request still finds the packet by its other keys.
   * @returns false if another packet has obtained the request's key in the meantime
   */
  async addRequest(
    { _id, retailer, keys = [], requests = [] }: PacketKeys,
    request: RequestKey,
    timeLimit: TimeLimit,
  ): Promise<boolean> {
    const key = requestKeyName(request);
    try {
      await this.collection.updateOne(
        { _id, retailer, keys: { $ne: key } },
        { $push: { keys: key, requests: request } },
        { signal: deadlineSignal(timeLimit) },
      );
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
    const excess = requests.length + 1 - requestsMax;
    const old = requests.filter((each, index) => index < excess || isKeyExpired(each, request.at));
    for (const each of old) {
      await this.releaseRequest({ _id, retailer, keys: [...keys, key] }, each, timeLimit);
    }
    return true;
  }

  /** Removes an expired idempotency key from the packet that has it, unless it has been used again. */
  async releaseRequest(owner: PacketKeys, expired: RequestKey, timeLimit: TimeLimit): Promise<void> {
    const matching = { only: { requests: expired }, pulled: { requests: { key: expired.key } } };
    await this.releaseKey(owner, requestKeyName(expired), timeLimit, matching);
  }

  /** Takes a link from a failed packet, whose receipt does not exist. */
  async releaseLink(owner: PacketKeys, receiptId: string, timeLimit: TimeLimit): Promise<void> {
    await this.releaseKey(owner, linkKey(receiptId), timeLimit, { only: { status: 'failed' } });
  }

  private async releaseKey(
    { _id, retailer, keys = [] }: PacketKeys,
    name: string,
    timeLimit: TimeLimit,
    { only, pulled }: { readonly only?: Filter<PacketDocument>; readonly pulled?: object },
  ): Promise<void> {
    const isLast = keys.length === 1;
    await this.collection.updateOne(
      // Only requests add keys. An empty list is removed, because the unique index would treat it as a value.
      { _id, retailer, ...only, ...(isLast ? { keys: [name] } : { keys: name }) },
      isLast ? { $unset: { keys: '', requests: '' } } : { $pull: { keys: name, ...pulled } },
      { signal: deadlineSignal(timeLimit) },
    );
  }

  async find(retailer: string, id: string, timeLimit: TimeLimit): Promise<Packet | undefined> {
    const signal = deadlineSignal(timeLimit);
    const own = await this.collection.findOne<PacketWithoutBytes>(
      { _id: id, retailer },
      { ...noBytes, signal },
    );
    const found =
      own ??
      (await this.collection.findOne<PacketWithoutBytes>(
        {
          $or: [
            { retailer, receiptIds: id, ...severalReceipts },
            { retailer, keys: linkKey(id) },
          ],
        },
        { ...noBytes, signal },
      ));
    return found ? packetOf(found) : undefined;
  }

  /** The packets with their outboxes. */
  async findMany(ids: readonly string[], signal: AbortSignal): Promise<Map<string, PacketWithoutBytes>> {
    const found = await this.collection
      .find<PacketWithoutBytes>({ _id: { $in: [...ids] } }, { projection: { raw: 0 }, signal })
      .toArray();
    return new Map(found.map((document) => [document._id, document]));
  }

  /** @returns the content of a packet, or the time of its deletion */
  async findBytes(retailer: string, id: string, timeLimit: TimeLimit): Promise<Buffer | Date | undefined> {
    const found = await this.collection.findOne<Pick<PacketDocument, 'raw' | 'deletedAt'>>(
      { _id: id, retailer },
      { projection: { raw: 1, deletedAt: 1 }, signal: deadlineSignal(timeLimit) },
    );
    return found?.raw ? bytesOf(found.raw) : found?.deletedAt;
  }

  /** The states of the packets that have one of these names. */
  async states(
    retailer: string,
    names: readonly PacketName[],
    signal: AbortSignal,
  ): Promise<readonly NamedState[]> {
    const ids = names.flatMap((name) => ('_id' in name ? name._id : []));
    const keys = names.flatMap((name) => ('keys' in name ? name.keys : []));
    const branches = [
      ...(ids.length > 0 ? [{ retailer, _id: { $in: ids } }] : []),
      ...(keys.length > 0 ? [{ retailer, keys: { $in: keys } }] : []),
    ];
    return this.collection.find<NamedState>({ $or: branches }, { projection: stateShown, signal }).toArray();
  }

  /** Newest first. */
  async list(retailer: string, selection: PacketSelection, timeLimit: TimeLimit): Promise<Packet[]> {
    const { status, reason, older, count } = selection;
    const filter: Filter<PacketDocument> = {
      retailer,
      ...(status && { status }),
      ...(reason && { reason }),
      ...(older !== undefined && { _id: { $lt: older } }),
    };
    const found = await this.collection
      .find<PacketWithoutBytes>(filter, {
        ...noBytes,
        sort: { _id: -1 },
        limit: count,
        signal: deadlineSignal(timeLimit),
      })
      .toArray();
    return found.map(packetOf);
  }

  /** The packet with its content and its outbox. */
  async findWhole(id: string): Promise<PacketDocument | null> {
    return this.collection.findOne({ _id: id });
  }

  /**
   * Sets a failed packet back to accepted, so that it is converted again.
   * @param decide throws if this is not allowed; not called if this request has reprocessed the packet before
   */
  async reprocess(
    retailer: string,
    id: string,
    decide: (packet: Pick<PacketDocument, 'status' | 'deletedAt'>) => boolean,
    { by, now, firstWaitMs, timeLimit }: Reprocessing & { readonly firstWaitMs: number },
  ): Promise<boolean> {
    const isReprocessed = await updateVersioned<PacketDocument, boolean>({
      collection: this.collection,
      retailer,
      id,
      signal: () => deadlineSignal(timeLimit),
      decide: (packet) =>
        packet.reprocessedBy !== by && decide(packet)
          ? { update: reprocessUpdate(by, now, nextRetryAt(now, 0, firstWaitMs)), result: true }
          : { result: false },
    });
    return isReprocessed === true;
  }

  /**
   * Like `reprocess`, in one write for all packets that failed for a given reason and with a given mapping. Packets
   * that this request has already reprocessed are not changed.
   * @returns the number of packets that this request has reprocessed, including earlier executions
   */
  async reprocessAll(
    retailer: string,
    {
      reason,
      mapping,
    }: { readonly reason?: FailureReason | undefined; readonly mapping?: string | undefined },
    { by, now, timeLimit }: Reprocessing,
  ): Promise<number> {
    const { $inc, ...update } = reprocessUpdate(by, now, now);
    const signal = deadlineSignal(timeLimit);
    const earlier = await this.collection.countDocuments({ retailer, reprocessedBy: by }, { signal });
    const { modifiedCount } = await this.collection.updateMany(
      {
        retailer,
        status: 'failed',
        ...hasContent,
        ...(earlier > 0 && { reprocessedBy: { $ne: by } }),
        ...(reason && { reason }),
        ...(mapping !== undefined && { 'mapping.id': mapping }),
      },
      { ...update, $inc: { ...$inc, version: 1 } },
      { signal },
    );
    return earlier + modifiedCount;
  }
}

/**
 * @param by the id of the request
 * @param retryAt when to request conversion, if that has not been done before
 */
function reprocessUpdate(by: string, now: Date, retryAt: Date) {
  return {
    $set: {
      reprocessedBy: by,
      status: 'accepted',
      updatedAt: now,
      retryAt: retryAt,
      retries: 0,
      errors: '[]',
    },
    $unset: { reason: '' },
    $inc: { attempts: 1 },
  } as const satisfies UpdateFilter<PacketDocument>;
}
