import { connectBroker } from '@receipts/messaging';
import { emptyRabbit, silentLog, until } from '@receipts/testing';
import { queueHistories } from './queue-histories';

afterEach(() => jest.restoreAllMocks());

const minute = 60_000;
/** RabbitMQ returns the newest sample first. */
const samples = (...counts: readonly number[]) => ({
  samples: counts.map((sample, at) => ({ sample, timestamp: at * minute })).reverse(),
});

async function minutesOf(queue: object) {
  const items = [{ name: 'receipts.ingest.commands', messages_unacknowledged: 3, ...queue }];
  jest.spyOn(globalThis, 'fetch').mockResolvedValue(new Response(JSON.stringify({ items })));
  const [found] = await queueHistories({
    managementUrl: 'http://u:p@broker:15672',
    amqpUrl: 'amqp://broker',
  });
  expect(found).toMatchObject({ queue: 'ingest.commands', unfinished: 3 });
  return found?.minutes.map(({ in: came, out, messages }) => [came, out, messages]);
}

test('reads what came in and went out in each minute, oldest first', async () => {
  const stats = {
    publish_details: samples(100, 110, 150),
    ack_details: samples(100, 105, 120),
    get_no_ack_details: samples(0, 0, 1),
  };
  expect(await minutesOf({ messages_details: samples(0, 5, 34), message_stats: stats })).toEqual([
    [10, 5, 5],
    [40, 16, 34],
  ]);
});

test('counts nothing for a restart of the broker, and skips a minute that is not complete', async () => {
  const stats = { publish_details: samples(100, 2, 4), ack_details: samples(100, 2) };
  expect(await minutesOf({ messages_details: samples(0, 0, 9), message_stats: stats })).toEqual([[0, 0, 0]]);
});

test('adds the rates of all ways out', async () => {
  const stats = { publish_details: { rate: 7 }, ack_details: { rate: 2.5 }, get_no_ack_details: { rate: 1 } };
  const items = [{ name: 'receipts.ingest.commands', message_stats: stats }];
  jest.spyOn(globalThis, 'fetch').mockResolvedValue(new Response(JSON.stringify({ items })));
  const [found] = await queueHistories({
    managementUrl: 'http://u:p@broker:15672',
    amqpUrl: 'amqp://broker',
  });
  expect(found?.perSecond).toEqual({ in: 7, out: 3.5 });
});

test('knows a queue without messages, and a broker without statistics', async () => {
  expect(await minutesOf({ messages_details: samples(0, 0) })).toEqual([[0, 0, 0]]);
  expect(await minutesOf({})).toEqual([]);
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
  const [found] = await until('the broker has statistics', async () => {
    const histories = await queueHistories(options);
    return histories[0]?.minutes.length ? histories : undefined;
  });
  expect(found).toMatchObject({ queue: 'admin.on-nothing', unfinished: 0 });
  expect(found?.minutes.at(-1)).toMatchObject({ in: 0, out: 0, messages: 0 });
  await broker.close({ graceMs: 1_000 });
  await rabbit.dispose();
});
