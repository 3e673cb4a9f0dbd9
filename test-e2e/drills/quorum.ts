import { randomBytes } from 'node:crypto';
import {
  bytes,
  defineCommand,
  serviceCall,
  ServiceError,
  schemaValidationFailed,
  type Log,
} from '@receipts/kernel';
import { connectBroker, type Broker } from '@receipts/messaging';
import { startRabbit, until, type Rabbit } from '@receipts/testing';

const owner = 'drill';
const keepThing = defineCommand({
  name: `${owner}.keep-thing`,
  summary: 'A thing',
  description: 'For the drill.',
  body: bytes('body'),
});
const queue = `${owner}.commands`;
const confirmed = 200;
const deadLetters = 10;
const timeoutMs = 120_000;
const callOf = () => serviceCall(owner, Date.now(), 'r-1', timeoutMs);

function remembering(lines: string[]): Log {
  const line = (msg: string, fields?: object) => void lines.push(`${msg} ${JSON.stringify(fields ?? {})}`);
  return { debug: line, info: line, warn: line, error: line };
}

/** A service at one node. It stores things, or fails on each of them. */
async function serviceAt(node: Rabbit, lines: string[], keep: (id: string) => void): Promise<Broker> {
  const broker = await connectBroker({ url: node.url, service: owner, log: remembering(lines) });
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

/**
 * Three nodes hold confirmed commands and dead letters. Two are killed, a service starts at the third, and the two
 * return. The service must wait, log that it waits, and delete nothing.
 * @throws Error that names the violated requirement
 */
export async function quorumDrill(say: (line: string) => void): Promise<void> {
  const cookie = randomBytes(16).toString('hex');
  const nodes = [await startRabbit({ cluster: { cookie } })];
  const [first] = nodes as [Rabbit];
  const opened: Broker[] = [];
  try {
    for (const _ of [2, 3]) nodes.push(await startRabbit({ cluster: { cookie, first: first.nodeName } }));
    const [, second, third] = nodes as [Rabbit, Rabbit, Rabbit];
    const members = await first.control('cluster_status', '--formatter', 'json');
    say(`running: ${(JSON.parse(members) as { running_nodes: string[] }).running_nodes.length} nodes`);

    const before = await serviceAt(first, [], refuse);
    opened.push(before);
    const send = () => before.send(keepThing, { body: Buffer.from('x') }, callOf());
    const sent = () =>
      send().then(
        () => true,
        () => false,
      );
    await until('the first command is taken', sent, timeoutMs);
    for (let n = 1; n < deadLetters; n++) await send();
    const listed = (broker: Broker) =>
      broker.deadLetters.list(queue, { count: deadLetters * 2 }).catch(() => []);
    await until(
      'they are dead-lettered',
      async () => (await listed(before)).length === deadLetters,
      timeoutMs,
    );
    await before.close();

    const sender = await connectBroker({ url: first.url, service: 'sender', log: remembering([]) });
    opened.push(sender);
    const ids = Array.from({ length: confirmed }, callOf).map((call) => call.id);
    await Promise.all(
      ids.map((id) => sender.send(keepThing, { body: Buffer.from('x') }, { ...callOf(), id })),
    );
    await sender.close();
    say(`${confirmed} commands confirmed, ${deadLetters} dead letters`);

    await Promise.all([first.kill(), second.kill()]);
    say('two nodes killed; a service starts at the third');
    const lines: string[] = [];
    const kept = new Set<string>();
    const service = await serviceAt(third, lines, (id) => kept.add(id));
    opened.push(service);
    const isSaid = () => lines.some((line) => line.includes('left alone and waited for'));
    await until('the service says that it waits', isSaid, timeoutMs);
    if (kept.size > 0) throw new Error('a service without a quorum took commands');
    say('the service waits, and says so');

    for (const node of [first, second]) await node.start();
    say('the two nodes are back');
    await until('every command is kept', () => ids.every((id) => kept.has(id)), timeoutMs);
    await until(
      'every dead letter is there',
      async () => (await listed(service)).length === deadLetters,
      timeoutMs,
    );
    say(
      `${kept.size} of ${confirmed} commands kept, ${deadLetters} of ${deadLetters} dead letters still there`,
    );
  } finally {
    await Promise.all(opened.map((broker) => broker.close({ graceMs: 100 }).catch(() => {})));
    await Promise.all(nodes.map((node) => node.dispose()));
  }
}
