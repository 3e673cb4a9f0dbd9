import { createSecretKey } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import amqp, { type Channel } from 'amqplib';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { verify } from 'jsonwebtoken';
import { MongoClient, ObjectId, type Collection } from 'mongodb';
import { z } from 'zod';

/**
 * What a user would build instead of the platform: it checks tokens and receipts, and stores each receipt durably, with
 * six plain indexes, without search, events or idempotency. `monolith` is one Express process, `gateway` and `service`
 * are the same split over RabbitMQ. Run as `storing-peers.js <role> <amqp url> <mongodb url> <base64 secret>`.
 */
const [, , role = '', amqpUrl = '', mongodbUrl = '', secret = ''] = process.argv;
const requestQueue = 'peers.requests';
const prefetch = 256;

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
type StoreReceipt = (receipt: Receipt) => Promise<string>;

interface StoredReceipt extends Receipt {
  readonly _id: ObjectId;
  readonly created_at: Date;
}

async function openCollection(): Promise<Collection<StoredReceipt>> {
  const client = await new MongoClient(mongodbUrl).connect();
  // The monolith and the service use separate databases.
  const collection = client.db(`peers_${role}`).collection<StoredReceipt>('receipts');
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

function storeIn(collection: Collection<StoredReceipt>): StoreReceipt {
  return async (receipt) => {
    const _id = new ObjectId();
    await collection.insertOne({ ...receipt, _id, created_at: new Date() }, { writeConcern: { j: true } });
    return _id.toHexString();
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

function listen(store: StoreReceipt): void {
  const app = express();
  app.use(express.json());
  app.post('/receipts', authenticated(), async (req, res) => {
    const receipt = receiptSchema.safeParse(req.body);
    if (!receipt.success) return void res.status(422).json({ errors: receipt.error.issues });
    const id = await store(receipt.data);
    res.status(201).location(`/receipts/${id}`).json({ id });
  });
  const failed: ErrorRequestHandler = (error: Error, _req, res, _next) =>
    void res.status(500).json({ error: error.message });
  app.use(failed);
  const server = app.listen(0, '127.0.0.1', () => {
    process.send?.({ type: 'ready', port: (server.address() as AddressInfo).port });
  });
}

async function openChannel(): Promise<Channel> {
  const connection = await amqp.connect(amqpUrl, { noDelay: true });
  const channel = await connection.createChannel();
  await channel.prefetch(prefetch);
  await channel.assertQueue(requestQueue, { durable: true });
  return channel;
}

async function monolith(): Promise<void> {
  listen(storeIn(await openCollection()));
}

async function gateway(): Promise<void> {
  const channel = await openChannel();
  const waiting = new Map<string, (id: string) => void>();
  const answered = (message: amqp.ConsumeMessage | null) => {
    const { id } = JSON.parse(message?.content.toString() ?? '{}') as { id: string };
    waiting.get(message?.properties.correlationId as string)?.(id);
    waiting.delete(message?.properties.correlationId as string);
  };
  await channel.consume('amq.rabbitmq.reply-to', answered, { noAck: true });
  let last = 0;
  listen((receipt) => {
    const correlationId = String(++last);
    const options = { correlationId, replyTo: 'amq.rabbitmq.reply-to' };
    channel.sendToQueue(requestQueue, Buffer.from(JSON.stringify(receipt)), options);
    return new Promise((resolve) => waiting.set(correlationId, resolve));
  });
}

async function service(): Promise<void> {
  const store = storeIn(await openCollection());
  const channel = await openChannel();
  const handle = async (message: amqp.ConsumeMessage) => {
    const { replyTo, correlationId } = message.properties as { replyTo: string; correlationId: string };
    const id = await store(JSON.parse(message.content.toString()) as Receipt);
    channel.sendToQueue(replyTo, Buffer.from(JSON.stringify({ id })), { correlationId });
    channel.ack(message);
  };
  await channel.consume(requestQueue, (message) => void (message && handle(message)));
  process.send?.({ type: 'ready' });
}

const roles: Readonly<Record<string, () => Promise<void>>> = { monolith, gateway, service };
roles[role]?.().catch((error: Error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exit(1);
});
