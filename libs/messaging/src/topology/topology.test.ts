import { EventEmitter } from 'node:events';
import { quietLog } from '../../test/sums';
import type { Connection } from '../connection/connection';
import { deadLetterQueue, privateQueue, retryQueue, retrySteps, retryingQueue } from './queues';
import { Topology } from './topology';

/** How a queue reacts to a message sent to it. */
type Answer = 'confirms' | 'refuses' | 'is silent' | 'ends the connection' | 'is blocked';

interface Queue {
  readonly answer: Answer;
  readonly messages?: number;
}

const steps = retrySteps.slice(0, 1);
const set = retryingQueue('sums.commands', steps, []);
const main = set.main.name;

/** A broker that already has all queues and records the requests to it. */
function aBroker(queues: Readonly<Record<string, Queue>>) {
  const log = quietLog();
  const asked: string[] = [];
  const open = (): Connection => {
    const connection = new EventEmitter();
    let lose: (error: Error) => void = () => {};
    const lost = new Promise<never>((_, reject) => (lose = reject));
    lost.catch(() => {});
    const channel = Object.assign(new EventEmitter(), {
      checkQueue: async (name: string) => ({ messageCount: queues[name]?.messages ?? 0, consumerCount: 1 }),
      assertQueue: async () => {},
      bindQueue: async () => {},
      deleteQueue: async (name: string) => void asked.push(`delete ${name}`),
      sendToQueue: (name: string, _: Buffer, __: object, done: (error?: Error) => void) => {
        asked.push(`send ${name}`);
        const answer = queues[name]?.answer ?? 'confirms';
        if (answer === 'confirms') done();
        if (answer === 'refuses') done(new Error('message nacked'));
        if (answer === 'ends the connection') lose(new Error('541 (INTERNAL-ERROR)'));
        if (answer === 'is blocked') connection.emit('blocked');
      },
    });
    return Object.assign(connection, {
      model: Object.assign(connection, { createConfirmChannel: async () => channel }),
      lost,
      checkQueue: channel.checkQueue,
      closeChannel: async () => {},
      withSibling: (task: (sibling: Connection) => unknown) => task(open()),
      withChannel: (task: (channel: unknown) => unknown) => task(channel),
    }) as unknown as Connection;
  };
  const topology = new Topology({ log, steps, newQueueWaitMs: 0 });
  const looked = topology.assert(open(), set).then(
    () => 'taken',
    (error: Error) => error.message,
  );
  return { looked, asked, log };
}

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const aMinute = 60_000;

test.each<[string, Queue]>([
  ['confirms', { answer: 'confirms' }],
  ['is full', { answer: 'refuses', messages: 7 }],
  ['is blocked by an alarm', { answer: 'is blocked' }],
])('consumes from a queue that %s', async (_, queue) => {
  const { looked } = aBroker({ [main]: queue });
  await jest.advanceTimersByTimeAsync(aMinute);
  expect(await looked).toBe('taken');
});

test.each<[string, Queue]>([
  ['is silent', { answer: 'is silent' }],
  ['is silent and shows messages and consumers', { answer: 'is silent', messages: 7 }],
  ['rejects messages and is empty', { answer: 'refuses' }],
])('waits for a queue that %s, reports this, and leaves it unchanged', async (_, queue) => {
  for (const name of [main, retryQueue(main, steps[0]!)]) {
    const { looked, asked, log } = aBroker({ [name]: queue });
    await jest.advanceTimersByTimeAsync(aMinute);
    expect(await looked).toContain(
      `does not accept messages: its nodes are down, or its log is lost: ${name}`,
    );
    expect(asked.filter((what) => what.startsWith('delete'))).toEqual([]);
    expect(log.lines.join('\n')).toContain('waiting for it without changing it');
  }
});

test('does not probe a dead-letter queue, because the probe would count as a message', async () => {
  const { looked, asked } = aBroker({});
  await jest.advanceTimersByTimeAsync(aMinute);
  expect(await looked).toBe('taken');
  expect(asked).not.toContain(`send ${deadLetterQueue(main)}`);
});

test('repeats an interrupted probe, which has no result', async () => {
  const { looked, asked } = aBroker({ [main]: { answer: 'ends the connection' } });
  await jest.advanceTimersByTimeAsync(aMinute);
  expect(await looked).toContain('541');
  expect(asked.filter((what) => what.startsWith('delete'))).toEqual([]);
});

test.each([true, false])('asks whether to bind a queue only once it exists: %s', async (isNeeded) => {
  const asked: string[] = [];
  const channel = {
    assertQueue: async () => void asked.push('declared'),
    bindQueue: async () => void asked.push('bound'),
  };
  const connection = { withChannel: (task: (channel: unknown) => unknown) => task(channel) };
  const topology = new Topology({ log: quietLog(), steps, newQueueWaitMs: 0 });
  // Whoever needs the events after this question finds a queue to bind, so that no order leaves it unbound.
  const isBound = async () => {
    asked.push('asked');
    return isNeeded;
  };
  const declaration = privateQueue('sums.on-events', [{ exchange: 'events', key: 'sum.added' }]);
  await topology.assert(connection as unknown as Connection, { ...declaration, isBound });
  expect(asked).toEqual(['declared', 'asked', ...(isNeeded ? ['bound'] : [])]);
});
