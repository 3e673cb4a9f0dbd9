import type { SubscribeOptions } from '@receipts/messaging';
import { startWork, type Work } from './start-work';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Records what happens, in order. */
function world() {
  const steps: string[] = [];
  const graces: number[] = [];
  const listeners = new Set<() => void>();
  const follow = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  /** Opens and closes slowly, so that a step that is not awaited comes too early. */
  const consumer = async (name: string) => {
    await turn();
    steps.push(`${name} opens`);
    return {
      async close(graceMs: number) {
        graces.push(graceMs);
        await turn();
        steps.push(`${name} closes`);
      },
    };
  };
  const part = (name: string) => ({
    start: () => void steps.push(`${name} starts`),
    reconnected: () => void steps.push(`${name} is reconnected`),
    stop: () => void steps.push(`${name} stops`),
    events: { contracts: [], handle: async () => {} },
  });
  const queues: SubscribeOptions[] = [];
  const subscribe = (options: SubscribeOptions) => {
    queues.push(options);
    return consumer(options.queue);
  };
  const broker = { subscribe, onConnected: follow };
  const start = (work: Work, onDataLost?: typeof follow) =>
    startWork(
      { name: 'till', broker, serve: () => consumer('server'), ...(onDataLost && { onDataLost }) },
      work,
    );
  return { steps, graces, listeners, queues, part, start, follow };
}

test('follows copies in a queue of the process, from before the first request until after the last', async () => {
  const { steps, queues, part, start } = world();
  const copies = [part('shops'), part('tills')];
  const { stop } = await start({ copies, outlivesConsumers: [part('reports')] });
  const subscriptions = copies.map(({ events }) => events);
  expect(queues).toEqual([{ queue: 'till.copies', subscriptions, exclusive: true }]);
  expect(steps.slice(0, 3)).toEqual(['till.copies opens', 'shops starts', 'tills starts']);
  expect(steps.splice(0).slice(3).sort()).toEqual(['reports starts', 'server opens']);
  await stop();
  expect(steps).toEqual([
    'server closes',
    'shops stops',
    'tills stops',
    'till.copies closes',
    'reports stops',
  ]);
});

test('keeps time for what stops after the consumers', async () => {
  const { graces, part, start } = world();
  const { stop } = await start({ copies: [part('shops')], outlivesConsumers: [part('reports')] });
  await stop(900);
  const [server = 0, copies = 0] = graces;
  expect(server).toBeLessThanOrEqual(700);
  expect(copies).toBeLessThanOrEqual(800);
  expect(Math.min(...graces)).toBeGreaterThan(0);
});

test('starts background work after the subscriptions, and stops it together with all consumers', async () => {
  const { steps, part, start } = world();
  const { stop } = await start({
    subscriptions: [{ queue: 'till.on-sale', subscriptions: [] }],
    background: [part('sweep')],
    outlivesConsumers: [part('writer'), part('catch-up')],
  });
  expect(steps.splice(0).filter((step) => step !== 'server opens')).toEqual([
    'till.on-sale opens',
    'sweep starts',
    'writer starts',
    'catch-up starts',
  ]);
  await stop();
  expect(steps[0]).toBe('sweep stops');
  expect(steps.slice(1, 3).sort()).toEqual(['server closes', 'till.on-sale closes']);
  expect(steps.slice(3)).toEqual(['writer stops', 'catch-up stops']);
});

test('tells each part of each connect and loss of data, until it is stopped', async () => {
  const { steps, listeners, part, start, follow } = world();
  const parts = { copies: [part('shops')], background: [part('sweep')] };
  const { stop } = await start(
    { ...parts, outlivesConsumers: [part('catch-up'), { stop: () => {} }] },
    follow,
  );
  steps.length = 0;
  for (const listener of listeners) listener();
  expect(steps.sort()).toEqual(['catch-up is reconnected', 'shops is reconnected', 'sweep is reconnected']);
  await stop();
  expect(listeners.size).toBe(0);
});
