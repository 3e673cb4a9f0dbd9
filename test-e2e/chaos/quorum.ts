import { randomBytes } from 'node:crypto';
import {
  bytes,
  defineCommand,
  newId,
  serviceCall,
  ServiceError,
  schemaValidationFailed,
  type Log,
} from '@receipts/kernel';
import { connectBroker, type Broker } from '@receipts/messaging';
import { startRabbit, until, type Rabbit } from '@receipts/testing';
import type { Print } from './scenario';

const owner = 'chaos';
const keepThing = defineCommand(
  {
    name: `${owner}.keep-thing`,
    summary: 'A thing',
    description: 'For this experiment.',
    body: bytes('body'),
  },
  { oneWay: () => true },
);
const queue = `${owner}.commands`;
const confirmed = 200;
const deadLetters = 10;
const timeoutMs = 120_000;

function recording(lines: string[]): Log {
  const line = (msg: string, fields?: object) => void lines.push(`${msg} ${JSON.stringify(fields ?? {})}`);
  return { debug: line, info: line, warn: line, error: line };
}

/** A service that is connected to one node. Depending on its settings, it stores messages or fails on each of them. */
async function serviceAt(node: Rabbit, lines: string[], keep: (id: string) => void): Promise<Broker> {
  const broker = await connectBroker({ url: node.url, service: owner, log: recording(lines) });
  const serving = broker.serve({
    owner,
    contracts: { keepThing },
    handlers: { keepThing: async (_, { id }) => (keep(id), {}) },
  });
  serving.catch((error: unknown) => lines.push(String(error)));
  return broker;
}

const refuse = () => {
  throw new ServiceError(schemaValidationFailed);
};

const send = (broker: Broker, id = newId()) =>
  broker.send(
    keepThing,
    { body: Buffer.from('x') },
    { ...serviceCall(owner, Date.now(), 'r-1', timeoutMs), id },
  );

async function deadLettersAre(what: string, broker: Broker): Promise<void> {
  const list = () => broker.deadLetters.list(queue).catch(() => []);
  await until(what, async () => (await list()).length === deadLetters, timeoutMs);
}

/** Leaves dead letters and one-way commands. Returns the ids of the commands. */
async function prepare(node: Rabbit, opened: Broker[]): Promise<readonly string[]> {
  const before = await serviceAt(node, [], refuse);
  opened.push(before);
  const isSent = () =>
    send(before).then(
      () => true,
      () => false,
    );
  await until('the first command is confirmed', isSent, timeoutMs);
  for (let n = 1; n < deadLetters; n++) await send(before);
  await deadLettersAre('the commands to be dead-lettered', before);
  await before.close();
  const sender = await connectBroker({ url: node.url, service: 'sender', log: recording([]) });
  opened.push(sender);
  const ids = Array.from({ length: confirmed }, () => newId());
  await Promise.all(ids.map((id) => send(sender, id)));
  await sender.close();
  return ids;
}

/**
 * Three nodes hold one-way commands and dead letters. Two are killed, a service connects to the third, and the two
 * return. The service must wait, log that it is waiting, and delete nothing.
 * @throws Error that names the violated requirement
 */
export async function quorum(print: Print): Promise<boolean> {
  const cookie = randomBytes(16).toString('hex');
  const nodes = [await startRabbit({ cluster: { cookie } })];
  const [first] = nodes as [Rabbit];
  const opened: Broker[] = [];
  try {
    for (const _ of [2, 3]) nodes.push(await startRabbit({ cluster: { cookie, first: first.nodeName } }));
    const [, second, third] = nodes as [Rabbit, Rabbit, Rabbit];
    const status = await first.control('cluster_status', '--formatter', 'json');
    print(`running: ${(JSON.parse(status) as { running_nodes: string[] }).running_nodes.length} nodes`);
    const ids = await prepare(first, opened);
    print(`${confirmed} commands confirmed, ${deadLetters} dead letters`);

    await Promise.all([first.kill(), second.kill()]);
    print('two nodes killed; a service connects to the third');
    const lines: string[] = [];
    const kept = new Set<string>();
    const service = await serviceAt(third, lines, (id) => kept.add(id));
    opened.push(service);
    const isLogged = () => lines.some((line) => line.includes('waiting for it without changing it'));
    await until('the service to log that it is waiting', isLogged, timeoutMs);
    if (kept.size > 0) throw new Error('a service without a quorum accepted commands');
    print('the service has logged that it is waiting');

    for (const node of [first, second]) await node.start();
    print('the two nodes are back');
    await until('every command is kept', () => ids.every((id) => kept.has(id)), timeoutMs);
    await deadLettersAre('every dead letter is there', service);
    print(
      `${kept.size} of ${confirmed} commands kept, ${deadLetters} of ${deadLetters} dead letters still there`,
    );
    return true;
  } finally {
    await Promise.all(opened.map((broker) => broker.close({ graceMs: 100 }).catch(() => {})));
    await Promise.all(nodes.map((node) => node.dispose()));
  }
}
