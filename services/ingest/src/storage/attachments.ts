import { type Binary, type Collection } from 'mongodb';
import type { AttachmentView } from '@receipts/contracts';
import { deadlineSignal, outboxIndex, type CollectionDeclaration, type OutboxItem } from '@receipts/storage';

export interface AttachmentDocument {
  readonly _id: string;
  readonly retailer: string;
  readonly version: number;
  readonly filename: string;
  readonly contentType: string;
  readonly size: number;
  readonly createdAt: Date;
  readonly bytes: Binary;
  readonly outbox?: readonly OutboxItem[];
}

/** Which receipt names which attachment. Its id is made of both, so that a link exists once. */
export interface LinkDocument {
  readonly _id: string;
  readonly retailer: string;
  readonly attachment: string;
  readonly receipt: string;
  readonly linkedAt: Date;
}

export const attachmentsDeclaration: CollectionDeclaration = { name: 'attachments', indexes: [outboxIndex] };

export const linksDeclaration: CollectionDeclaration = {
  name: 'attachment_links',
  indexes: [{ name: 'attachment', key: { retailer: 1, attachment: 1, linkedAt: -1 } }],
};

type Waiter = { readonly deadline: number };
type Described = Omit<AttachmentDocument, 'bytes'>;

const noBytes = { projection: { bytes: 0, outbox: 0 } } as const;

/** The attachments of all retailers; every question names one. */
export class Attachments {
  constructor(
    readonly collection: Collection<AttachmentDocument>,
    private readonly links: Collection<LinkDocument>,
    private readonly basePath: string,
  ) {}

  urlOf(id: string): string {
    return `${this.basePath}/attachments/${id}`;
  }

  viewOf(document: Described): AttachmentView {
    const { _id: id, contentType, filename, size } = document;
    return { id, url: this.urlOf(id), content_type: contentType, filename, size };
  }

  async describe(retailer: string, ids: readonly string[], waiter: Waiter): Promise<AttachmentView[]> {
    if (ids.length === 0) return [];
    const found = await this.collection
      .find<Described>(
        { _id: { $in: [...new Set(ids)] }, retailer },
        { ...noBytes, signal: deadlineSignal(waiter) },
      )
      .toArray();
    return found.map((document) => this.viewOf(document));
  }

  async read(retailer: string, id: string, waiter: Waiter) {
    const found = await this.collection.findOne({ _id: id, retailer }, { signal: deadlineSignal(waiter) });
    if (!found) return undefined;
    return {
      ...this.viewOf(found),
      bytes: Buffer.from(found.bytes.buffer).subarray(0, found.bytes.position),
    };
  }

  /** Repeating it changes nothing. */
  async link(
    retailer: string,
    receipt: string,
    ids: readonly string[],
    now: Date,
    waiter: Waiter,
  ): Promise<void> {
    if (ids.length === 0) return;
    const links = [...new Set(ids)].map((attachment) => ({
      updateOne: {
        filter: { _id: `${attachment}:${receipt}` },
        update: { $setOnInsert: { retailer, attachment, receipt, linkedAt: now } },
        upsert: true,
      },
    }));
    await this.links.bulkWrite(links, { ordered: false, signal: deadlineSignal(waiter) });
  }

  /** The receipts that name it, the latest first. */
  async linkedReceipts(
    retailer: string,
    attachment: string,
    countMax: number,
    waiter: Waiter,
  ): Promise<string[]> {
    const found = await this.links
      .find(
        { retailer, attachment },
        { sort: { linkedAt: -1 }, limit: countMax, signal: deadlineSignal(waiter) },
      )
      .toArray();
    return found.map(({ receipt }) => receipt);
  }
}
