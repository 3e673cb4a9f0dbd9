import { randomBytes } from 'node:crypto';
import http from 'node:http';
import { parseArgs } from 'node:util';
import amqp, { type ConfirmChannel, type Channel } from 'amqplib';
import { pageOfReceipts, receiptBody } from './work';

/**
 * The baseline: the same tasks implemented directly with node:http and amqplib, one message per request, without
 * authentication, limits, logs, metrics or storage. The service responds to a read with a prepared receipt or page. Run
 * as `bare.js gateway <amqp url>` and `bare.js service <amqp url>`.
 */
const packetQueue = 'bare.packets';
const requestQueue = 'bare.requests';
const prefetch = 256;

interface Posted {
  readonly items?: unknown[];
  readonly total?: unknown;
}

/** The AMQP types of the requests, with the responses to reads. */
type Task = 'create' | 'get' | 'list';
const answers = { get: Buffer.from(receiptBody), list: Buffer.from(pageOfReceipts) };
const noBody = Buffer.from('{}');

async function connect(url: string) {
  return amqp.connect(`${url}?heartbeat=30`, { noDelay: true });
}

function readBody(req: http.IncomingMessage, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => done(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
}

function taskOf({ method, url }: http.IncomingMessage): Task {
  if (method !== 'GET') return 'create';
  return url === '/receipts' ? 'list' : 'get';
}

function isReceipt(body: Buffer): boolean {
  const { items, total } = JSON.parse(body.toString('utf8')) as Posted;
  return Array.isArray(items) && typeof total === 'number';
}

function created(body: Buffer): Buffer {
  JSON.parse(body.toString('utf8'));
  return Buffer.from(JSON.stringify({ id: randomBytes(12).toString('hex') }));
}

async function gateway(url: string): Promise<void> {
  const connection = await connect(url);
  const confirms: ConfirmChannel = await connection.createConfirmChannel();
  const rpc: Channel = await connection.createChannel();
  await confirms.assertQueue(packetQueue, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
  const waiting = new Map<string, http.ServerResponse>();
  await rpc.consume(
    'amq.rabbitmq.reply-to',
    (message) => {
      if (!message) return;
      const res = waiting.get(message.properties.correlationId as string);
      waiting.delete(message.properties.correlationId as string);
      res?.writeHead(res.req.method === 'GET' ? 200 : 201, {
        'content-type': 'application/json',
        'content-length': message.content.length,
      });
      res?.end(message.content);
    },
    { noAck: true },
  );
  const server = http.createServer((req, res) => {
    readBody(req, (body) => {
      const id = randomBytes(12).toString('hex');
      if (req.url === '/pos/receipts') {
        const options = { persistent: true, mandatory: true, messageId: id };
        confirms.publish('', packetQueue, body, options, (error) => {
          res.writeHead(error ? 503 : 202, { location: `/receipts/${id}`, 'content-length': 0 });
          res.end();
        });
        return;
      }
      const task = taskOf(req);
      if (task === 'create' && !isReceipt(body)) {
        res.writeHead(422, { 'content-length': 0 }).end();
        return;
      }
      waiting.set(id, res);
      rpc.publish('', requestQueue, task === 'create' ? body : noBody, {
        type: task,
        correlationId: id,
        replyTo: 'amq.rabbitmq.reply-to',
      });
    });
  });
  server.listen(0, '127.0.0.1', () => {
    process.send?.({ type: 'ready', port: (server.address() as { port: number }).port });
  });
}

async function service(url: string): Promise<void> {
  const connection = await connect(url);
  const channel = await connection.createChannel();
  await channel.prefetch(prefetch);
  await channel.assertQueue(requestQueue, { durable: true });
  await channel.assertQueue(packetQueue, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
  await channel.consume(requestQueue, (message) => {
    if (!message) return;
    const task = message.properties.type as Task;
    const answer = task === 'create' ? created(message.content) : answers[task];
    channel.sendToQueue(message.properties.replyTo as string, answer, {
      correlationId: message.properties.correlationId as string,
    });
    channel.ack(message);
  });
  await channel.consume(packetQueue, (message) => message && channel.ack(message));
  process.send?.({ type: 'ready' });
}

const {
  positionals: [role, url = ''],
} = parseArgs({ allowPositionals: true });
const run = role === 'gateway' ? gateway : service;
run(url).catch((error: Error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exit(1);
});
