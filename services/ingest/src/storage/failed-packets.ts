import type { FailureReason } from '@receipts/contracts';
import { deadlineSignal } from '@receipts/storage';
import type { Collection, Filter } from 'mongodb';
import { idsFrom, type TimeLimit } from '@receipts/kernel';
import type { Failure } from '../domain/failure-groups';
import type { Packet } from '../domain/packet-state';
import type { TillName } from './till-agents';
import { packetIndexes, packetOf, type PacketDocument, type PacketWithoutBytes } from './packet-document';

export interface FailedSelection {
  /** Undefined for all retailers, which only the operator may request. */
  readonly retailer: string | undefined;
  readonly reason: FailureReason | undefined;
}

interface FailedFields {
  readonly reason: FailureReason;
  readonly mapping?: { readonly id: string };
}

/** A failed packet, as its till names itself. */
export interface FailedOfTill extends TillName {
  readonly receivedAt: Date;
}

/**
 * For one retailer, the retailer's indexes support the conditions and the sort order; for all retailers, only the index
 * of failures does.
 */
function queryOf({ retailer, reason }: FailedSelection) {
  const filter: Filter<PacketDocument> =
    retailer === undefined
      ? { reason: reason ?? { $exists: true } }
      : { retailer, status: 'failed', ...(reason && { reason }) };
  return {
    filter,
    options: { sort: { _id: -1 }, ...(retailer === undefined && { hint: packetIndexes.failures.name }) },
  } as const;
}

/** Reads failed packets of one retailer or of all retailers. */
export class FailedPackets {
  constructor(private readonly collection: Collection<PacketDocument>) {}

  /** Newest first, with the fields that grouping needs. */
  async list(which: FailedSelection, countMax: number, timeLimit: TimeLimit): Promise<Failure[]> {
    const { filter, options } = queryOf(which);
    const found = await this.collection
      .find<Pick<PacketDocument, '_id' | 'retailer' | 'receivedAt'> & FailedFields>(filter, {
        ...options,
        projection: { retailer: 1, reason: 1, 'mapping.id': 1, receivedAt: 1 },
        limit: countMax,
        signal: deadlineSignal(timeLimit),
      })
      .toArray();
    return found.map(({ _id: id, retailer, reason, mapping, receivedAt }) => ({
      id,
      retailer,
      reason,
      mapping: mapping?.id ?? null,
      receivedAt,
    }));
  }

  /** The newest packets with all fields except their content. */
  async newest(which: FailedSelection, count: number, timeLimit: TimeLimit): Promise<Packet[]> {
    const { filter, options } = queryOf(which);
    const found = await this.collection
      .find<PacketWithoutBytes>(filter, {
        ...options,
        projection: { raw: 0, outbox: 0 },
        limit: count,
        signal: deadlineSignal(timeLimit),
      })
      .toArray();
    return found.map(packetOf);
  }

  /** The failed packets of a retailer that arrived since a time, newest first. */
  async ofTills(
    retailer: string,
    since: Date,
    countMax: number,
    timeLimit: TimeLimit,
  ): Promise<FailedOfTill[]> {
    // An id begins with the time when the packet was accepted.
    const filter = { retailer, status: 'failed', _id: { $gte: idsFrom(since.getTime()) } } as const;
    const found = await this.collection
      .find<Pick<PacketDocument, 'metadata' | 'receivedAt'>>(filter, {
        sort: { _id: -1 },
        projection: { 'metadata.store_reference': 1, 'metadata.till_uuid': 1, receivedAt: 1 },
        limit: countMax,
        hint: packetIndexes.status.name,
        signal: deadlineSignal(timeLimit),
      })
      .toArray();
    return found.map(({ metadata, receivedAt }) => ({
      store: metadata.store_reference ?? null,
      till: metadata.till_uuid ?? null,
      receivedAt,
    }));
  }
}
