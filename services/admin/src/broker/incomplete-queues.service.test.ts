import { connectBroker } from '@receipts/messaging';
import { emptyRabbit, silentLog } from '@receipts/testing';
import { incompleteQueues } from './incomplete-queues';

afterEach(() => jest.restoreAllMocks());

interface Answers {
  readonly nodes: readonly object[];
  readonly queues: readonly object[];
}

function found({ nodes, queues }: Answers) {
  jest.spyOn(globalThis, 'fetch').mockImplementation((url) => {
    const isNodes = new URL(String(url)).pathname === '/api/nodes';
    return Promise.resolve(new Response(JSON.stringify(isNodes ? nodes : queues)));
  });
  return incompleteQueues({ managementUrl: 'http://u:p@broker:15672', amqpUrl: 'amqp://broker' });
}

const node = (name: string, running = true) => ({ name, running });
const queue = (name: string, ...online: string[]) => ({ name, type: 'quorum', online });

test('finds the queues of the platform that a wiped node is no longer a member of', async () => {
  const queues = [
    queue('receipts.ingest.commands', 'a', 'b'),
    queue('receipts.ingest.requests', 'a', 'b', 'c'),
    queue('others', 'a'),
    { name: 'receipts.echo', type: 'classic' },
  ];
  const incomplete = [{ queue: 'ingest.commands', members: 2, expected: 3 }];
  expect(await found({ nodes: ['a', 'b', 'c'].map((name) => node(name)), queues })).toEqual(incomplete);
});

test.each([
  ['a node that is down', [node('a'), node('b'), node('c', false)], ['a', 'b']],
  ['more than three nodes', ['a', 'b', 'c', 'd', 'e'].map((name) => node(name)), ['a', 'c', 'e']],
])('does not expect a member on %s', async (_title, nodes, online) => {
  expect(await found({ nodes, queues: [queue('receipts.ingest.commands', ...online)] })).toEqual([]);
});

test('understands the answers of the broker', async () => {
  const rabbit = await emptyRabbit();
  const broker = await connectBroker({
    url: rabbit.url,
    service: 'admin',
    log: silentLog,
    newQueueWaitMs: 0,
  });
  await broker.subscribe({ queue: 'admin.on-nothing', subscriptions: [] });
  const options = { managementUrl: String(rabbit.managementUrl), amqpUrl: rabbit.url };
  expect(await incompleteQueues(options)).toEqual([]);
  const { fetch: request } = globalThis;
  // A second node that runs, and is a member of no queue.
  jest.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    const response = await request(url, init);
    if (!String(url).endsWith('/nodes')) return response;
    return new Response(JSON.stringify([...((await response.json()) as object[]), node('new')]));
  });
  expect(await incompleteQueues(options)).toContainEqual({
    queue: 'admin.on-nothing',
    members: 1,
    expected: 2,
  });
  await broker.close({ graceMs: 1_000 });
  await rabbit.dispose();
});
