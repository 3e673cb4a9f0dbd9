import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import amqp, { type Channel, type ChannelModel } from 'amqplib';
import { startRabbit, type Rabbit } from './infrastructure';

const definitions = path.resolve(__dirname, '../../docker/rabbitmq-definitions.json');
const password = 'secret';
const commands = ['ingest', 'transform', 'receipt-store'].map((owner) => `receipts.${owner}.commands`);
const others = ['receipts.delivery.requests.standby', 'receipts.identifier.on-receipt-changed.retry.1s'];
/** The queues of other services whose length a service reads. */
const watched: Readonly<Record<string, readonly string[]>> = {
  gateway: commands,
  ingest: commands.slice(1),
  admin: [...commands, ...others],
};

const folder = mkdtempSync(path.join(os.tmpdir(), 'receipts-users-'));
let rabbit: Rabbit;
const connections: ChannelModel[] = [];

async function connected(user: string): Promise<ChannelModel> {
  const connection = await amqp.connect(`amqp://${user}:${password}@127.0.0.1:${rabbit.port}`);
  connection.on('error', () => {});
  connections.push(connection);
  return connection;
}

/** The code with which the broker refuses an operation; undefined if it allows it. */
async function refusal(
  connection: ChannelModel,
  operation: (channel: Channel) => PromiseLike<unknown>,
): Promise<unknown> {
  const channel = await connection.createChannel();
  channel.on('error', () => {});
  return Promise.resolve(operation(channel)).then(
    () => channel.close().then(() => undefined),
    (error: { code?: unknown }) => error.code,
  );
}

beforeAll(async () => {
  const salt = Buffer.from('salt');
  const digest = createHash('sha256').update(salt).update(password).digest();
  const hash = Buffer.concat([salt, digest]).toString('base64');
  const file = path.join(folder, 'definitions.json');
  writeFileSync(file, readFileSync(definitions, 'utf8').replaceAll(/[A-Z_]+_BROKER_HASH/g, hash));
  rabbit = await startRabbit({ configuration: [`load_definitions = ${file}`] });
  for (const queue of [...commands, ...others]) {
    const channel = await (await connected(queue.split('.')[1] ?? '')).createChannel();
    await channel.assertQueue(queue);
  }
});
afterAll(async () => {
  await Promise.all(connections.map((connection) => connection.close().catch(() => {})));
  await rabbit?.dispose();
  rmSync(folder, { recursive: true });
});

it.each(Object.entries(watched))(
  'lets %s read the length of queues of other services, and nothing else',
  async (user, queues) => {
    const connection = await connected(user);
    for (const queue of queues) {
      expect([queue, await refusal(connection, (channel) => channel.checkQueue(queue))]).toEqual([
        queue,
        undefined,
      ]);
      for (const operation of [
        (channel: Channel) => channel.get(queue),
        (channel: Channel) => channel.purgeQueue(queue),
        (channel: Channel) => channel.deleteQueue(queue),
      ])
        expect(await refusal(connection, operation)).toBe(403);
    }
  },
);
