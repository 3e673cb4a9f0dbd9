import { Binary, type Collection } from 'mongodb';
import type { AttachmentView } from '@receipts/contracts';
import type { PacketPosition } from './packet-deletions';
import type { Call, TimeLimit } from '@receipts/kernel';
import {
  databaseTimeout,
  deadlineSignal,
  duplicatesIn,
  outboxIndex,
  type CollectionDeclaration,
  type OutboxItem,
} from '@receipts/storage';

export interface AttachmentDocument {
  readonly _id: string;
  readonly retailer: string;
  readonly version: number;
  readonly filename: string;
  readonly contentType: string;
  readonly size: number;
  readonly createdAt: Date;
  /** The consumers to whom the uploading credential was restricted, sorted; absent if it was not restricted. */
  readonly consumers?: readonly string[];
  /** Absent once the attachment has been deleted. */
  readonly bytes?: Binary;
  readonly deletedAt?: Date;
  readonly outbox?: readonly OutboxItem[];
}

/** Matches attachments that have not been deleted. */
const hasContent = { bytes: { $exists: true } } as const;
const creationIndex = {
  name: 'creation',
  key: { retailer: 1, createdAt: 1, _id: 1 },
  partial: hasContent,
} as const;

export const attachmentsDeclaration: CollectionDeclaration = {
  name: 'attachments',
  indexes: [creationIndex, outboxIndex],
};

export interface NewAttachment {
  readonly id: string;
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Buffer;
}

type Owner = Pick<Call, 'retailer' | 'consumers'>;

const inOrder = (consumers: readonly string[]): string[] => [...new Set(consumers)].sort();

export function newAttachmentDocument(
  { retailer, consumers }: Owner,
  { id, filename, contentType, bytes }: NewAttachment,
  now: Date,
): AttachmentDocument {
  const facts = { filename, contentType, size: bytes.length, createdAt: now };
  const restriction = consumers && { consumers: inOrder(consumers) };
  return {
    _id: id,
    retailer,
    version: 1,
    ...facts,
    ...restriction,
    bytes: new Binary(bytes),
  };
}
type Described = Omit<AttachmentDocument, 'bytes'>;

const noBytes = { projection: { bytes: 0, outbox: 0 } } as const;

/** The attachments of all retailers. Every query is limited to one retailer. */
export class Attachments {
  constructor(
    private readonly collection: Collection<AttachmentDocument>,
    private readonly basePath: string,
  ) {}

  urlOf(id: string): string {
    return `${this.basePath}/attachments/${id}`;
  }

  viewOf(document: Described): AttachmentView {
    const { _id: id, contentType, filename, size } = document;
    return { id, url: this.urlOf(id), content_type: contentType, filename, size };
  }

  /** @returns the attachments that did not exist before */
  async insertMissing(
    documents: readonly AttachmentDocument[],
    timeLimit: TimeLimit,
  ): Promise<readonly AttachmentDocument[]> {
    const options = { ordered: false, signal: deadlineSignal(timeLimit) };
    const present = await duplicatesIn(() => this.collection.insertMany([...documents], options));
    return documents.filter((_, index) => !present.has(index));
  }

  describe(retailer: string, ids: readonly string[], timeLimit: TimeLimit): Promise<AttachmentView[]> {
    return this.findAll({ retailer }, ids, timeLimit);
  }

  private async findAll(
    owner: { readonly retailer: string; readonly consumers?: string[] },
    ids: readonly string[],
    timeLimit: TimeLimit,
  ): Promise<AttachmentView[]> {
    if (ids.length === 0) return [];
    const found = await this.collection
      .find<Described>(
        { _id: { $in: [...new Set(ids)] }, ...owner, ...hasContent },
        { ...noBytes, signal: deadlineSignal(timeLimit) },
      )
      .toArray();
    return found.map((document) => this.viewOf(document));
  }

  /**
   * The attachments that the caller may link. A caller restricted to consumers may link only those that were uploaded
   * with the same restriction.
   */
  async linkable(caller: Owner & TimeLimit, ids: readonly string[]): Promise<AttachmentView[]> {
    const { retailer, consumers } = caller;
    return this.findAll({ retailer, ...(consumers && { consumers: inOrder(consumers) }) }, ids, caller);
  }

  /** Attachments that were stored before a time, in this order. */
  createdBefore(
    retailer: string,
    before: Date,
    { at, id }: PacketPosition,
    count: number,
    timeLimit: TimeLimit,
  ): Promise<Pick<AttachmentDocument, '_id' | 'createdAt'>[]> {
    return this.collection
      .find<Pick<AttachmentDocument, '_id' | 'createdAt'>>(
        {
          retailer,
          createdAt: { $gte: at, $lt: before },
          $or: [{ createdAt: { $gt: at } }, { _id: { $gt: id } }],
          ...hasContent,
        },
        {
          projection: { createdAt: 1 },
          sort: { createdAt: 1, _id: 1 },
          limit: count,
          hint: creationIndex.name,
          signal: deadlineSignal(timeLimit),
        },
      )
      .toArray();
  }

  /**
   * Deletes attachments and their names. What remains is the answer that they were deleted.
   * @returns false if the events of some have not been published yet
   */
  async delete(retailer: string, ids: readonly string[], now: Date): Promise<boolean> {
    if (ids.length === 0) return true;
    const signal = databaseTimeout();
    const named = { _id: { $in: [...ids] }, retailer, ...hasContent };
    await this.collection.updateMany(
      { ...named, 'outbox.0': { $exists: false } },
      { $set: { deletedAt: now, filename: '', contentType: '' }, $unset: { bytes: '', consumers: '' } },
      { signal },
    );
    return (await this.collection.findOne(named, { projection: { _id: 1 }, signal })) === null;
  }

  async read(retailer: string, id: string, timeLimit: TimeLimit) {
    const found = await this.collection.findOne({ _id: id, retailer }, { signal: deadlineSignal(timeLimit) });
    if (!found) return undefined;
    if (!found.bytes) return 'deleted' as const;
    return {
      ...this.viewOf(found),
      bytes: Buffer.from(found.bytes.buffer).subarray(0, found.bytes.position),
    };
  }
}
