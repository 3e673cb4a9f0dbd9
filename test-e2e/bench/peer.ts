import { createSecretKey, randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import amqp, { type ConfirmChannel } from 'amqplib';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { verify } from 'jsonwebtoken';
import { MongoClient, ObjectId, type Collection, type Db } from 'mongodb';
import { z } from 'zod';
import {
  receiptFields,
  searchDocument,
  searchIndexes,
  singleValueIndexes,
  type SearchDocument,
} from '@receipts/search-language';

/**
 * What a user would build instead of the platform: one Express process on the same database server, which checks tokens
 * and receipts, and stores each receipt durably.
 *
 * - `storing` does no more than that, with six plain indexes.
 * - `equal` does the work of the platform in the plain way: the same search terms in an index, an outbox that is emptied
 *   when the broker has confirmed the event, a bucket of totals for each store and day, a summary of each consumer.
 *
 * Run as `peer.js <role> <amqp url> <mongodb url> <base64 secret>`.
 */
const [, , role = '', amqpUrl = '', mongodbUrl = '', secret = ''] = process.argv;
const exchange = 'peers.events';
const pageLength = 20;
const outboxBatch = 100;

const freeForm = z.record(z.string(), z.unknown());
const receiptSchema = z.strictObject({
  transaction_id: z.string().min(1).max(255),
  identifier: z.string().optional(),
  localtime: z.iso.datetime({ local: true }),
  store_reference: z.int(),
  total: z.number(),
  items: z.array(
    z.strictObject({
      name: z.string(),
      quantity: z.number(),
      total: z.number(),
      vat: z.strictObject({ rate: z.number(), amount: z.number() }).optional(),
      properties: freeForm.optional(),
    }),
  ),
  payments: z.array(z.strictObject({ method: z.string(), amount: z.number(), details: freeForm.optional() })),
  properties: freeForm.optional(),
});
type Receipt = z.infer<typeof receiptSchema>;

interface StoredReceipt extends Receipt {
  readonly _id: ObjectId;
  readonly created_at: Date;
  readonly search?: SearchDocument;
  /** The event that the broker has not confirmed yet. */
  readonly outbox?: { readonly id: string; readonly type: string };
}

const written = { writeConcern: { j: true } } as const;

async function openCollection(db: Db): Promise<Collection<StoredReceipt>> {
  const collection = db.collection<StoredReceipt>('receipts');
  await collection.createIndexes([
    { key: { transaction_id: 1 }, unique: true },
    { key: { created_at: 1 } },
    { key: { identifier: 1, created_at: 1 } },
    { key: { store_reference: 1, created_at: 1 } },
    { key: { localtime: 1 } },
    { key: { total: 1 } },
  ]);
  return collection;
}

type Store = (receipt: Receipt) => Promise<string>;

const storing =
  (collection: Collection<StoredReceipt>): Store =>
  async (receipt) => {
    const _id = new ObjectId();
    await collection.insertOne({ ...receipt, _id, created_at: new Date() }, written);
    return _id.toHexString();
  };

/** Publishes the events of stored receipts in their order, and removes each when the broker has confirmed it. */
class OutboxRelay {
  private running: Promise<void> | undefined;
  private isWoken = false;

  constructor(
    private readonly collection: Collection<StoredReceipt>,
    private readonly channel: ConfirmChannel,
  ) {}

  wake(): void {
    this.isWoken = true;
    this.running ??= this.run().finally(() => (this.running = undefined));
  }

  private async run(): Promise<void> {
    while (this.isWoken) {
      this.isWoken = false;
      for (;;) {
        const waiting = await this.collection
          .find({ 'outbox.id': { $exists: true } }, { projection: { search: 0 } })
          .limit(outboxBatch)
          .toArray();
        if (waiting.length === 0) break;
        for (const { outbox, ...receipt } of waiting) {
          const event = { ...outbox, time: receipt.created_at, data: receipt };
          this.channel.publish(exchange, 'receipt.created', Buffer.from(JSON.stringify(event)), {
            persistent: true,
          });
        }
        await this.channel.waitForConfirms();
        const ids = waiting.map(({ _id }) => _id);
        await this.collection.updateMany({ _id: { $in: ids } }, { $unset: { outbox: 1 } }, written);
      }
    }
  }
}

async function equal(db: Db, collection: Collection<StoredReceipt>): Promise<Store> {
  const fields = receiptFields();
  const indexes = [...searchIndexes, ...singleValueIndexes(fields)].map(({ name, key }) => ({
    name,
    key: { ...key },
  }));
  await collection.createIndexes([...indexes, { key: { 'outbox.id': 1 }, sparse: true }]);
  const totals = db.collection('totals');
  const summaries = db.collection<{ _id: string }>('summaries');
  await totals.createIndex({ store: 1, day: 1 }, { unique: true });
  const connection = await amqp.connect(amqpUrl, { noDelay: true });
  const channel = await connection.createConfirmChannel();
  await channel.assertExchange(exchange, 'topic', { durable: true });
  const relay = new OutboxRelay(collection, channel);
  return async (receipt) => {
    const _id = new ObjectId();
    const created_at = new Date();
    const id = _id.toHexString();
    const search = searchDocument(fields, { ...receipt, id, timestamp: created_at.toISOString() });
    const outbox = { id: randomUUID(), type: 'receipt.created' };
    await collection.insertOne({ ...receipt, _id, created_at, search, outbox }, written);
    const count = { receipts: 1, total: receipt.total };
    const bucket = { store: receipt.store_reference, day: receipt.localtime.slice(0, 10) };
    const seen = { $inc: count, $min: { first: created_at }, $max: { last: created_at } };
    await Promise.all([
      totals.updateOne(bucket, { $inc: count }, { upsert: true, ...written }),
      receipt.identifier !== undefined &&
        summaries.updateOne({ _id: receipt.identifier }, seen, { upsert: true, ...written }),
    ]);
    relay.wake();
    return id;
  };
}

const authenticated = (): RequestHandler => {
  const key = createSecretKey(Buffer.from(secret, 'base64'));
  return (req, res, next) => {
    const token = /^Bearer (.+)$/.exec(req.headers.authorization ?? '')?.[1];
    try {
      verify(token ?? '', key, { algorithms: ['HS256'] });
      next();
    } catch {
      res.status(401).json({ error: 'unauthorized' });
    }
  };
};

const shown = { projection: { search: 0, outbox: 0 } };

function listen(store: Store, collection: Collection<StoredReceipt>): void {
  const app = express();
  app.use(express.json(), authenticated());
  app.post('/receipts', async (req, res) => {
    const receipt = receiptSchema.safeParse(req.body);
    if (!receipt.success) return void res.status(422).json({ errors: receipt.error.issues });
    const id = await store(receipt.data);
    res.status(201).location(`/receipts/${id}`).json({ id });
  });
  app.get('/receipts/:id', async (req, res) => {
    const receipt = await collection.findOne({ _id: new ObjectId(req.params.id) }, shown);
    if (receipt) res.json(receipt);
    else res.status(404).json({ error: 'not found' });
  });
  app.get('/receipts', async (_req, res) => {
    res.json(await collection.find({}, shown).sort({ created_at: -1 }).limit(pageLength).toArray());
  });
  const failed: ErrorRequestHandler = (error: Error, _req, res, _next) =>
    void res.status(500).json({ error: error.message });
  app.use(failed);
  const server = app.listen(0, '127.0.0.1', () => {
    process.send?.({ type: 'ready', port: (server.address() as AddressInfo).port });
  });
}

async function main(): Promise<void> {
  const client = await new MongoClient(mongodbUrl).connect();
  const db = client.db(`peer_${role}`);
  const collection = await openCollection(db);
  listen(role === 'equal' ? await equal(db, collection) : storing(collection), collection);
}

main().catch((error: Error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exit(1);
});
