import { AsyncLocalStorage } from 'node:async_hooks';
import { newId, type Call, type Span, type SpanFacts, type Tracing } from '@receipts/kernel';
import { on } from '../inbound/event-subscriber';
import { connectBroker, type Broker } from '..';
import { sharedRabbit, until } from '@receipts/testing';
import { callOf, eventsOf, quietLog, sumsContracts, thingHappened } from '../../test/sums';

interface Recorded extends SpanFacts {
  readonly name: string;
  readonly traceparent: string;
  readonly linked: string[];
  ended: boolean;
  errorType?: string | undefined;
}

/** Records spans for assertions. Trace ids come from the parents, because every caller here has one. */
class RecordedTracing implements Tracing {
  readonly spans: Recorded[] = [];
  private readonly working = new AsyncLocalStorage<Span>();

  start(name: string, facts: SpanFacts): Span {
    const [, traceId = ''] = facts.parent?.split('-') ?? [];
    const traceparent = `00-${traceId}-${newId().slice(0, 16)}-01`;
    const attributes = { ...facts.attributes };
    const kept: Recorded = {
      ...facts,
      attributes,
      name,
      traceparent,
      linked: [...(facts.links ?? [])],
      ended: false,
    };
    this.spans.push(kept);
    return {
      traceId,
      traceparent,
      isRecorded: true,
      rename: () => {},
      set: (more) => void Object.assign(attributes, more),
      link: (to) => void kept.linked.push(to),
      end: (errorType) => void Object.assign(kept, { ended: true, errorType }),
    };
  }

  run<T>(span: Span, work: () => T): T {
    return this.working.run(span, work);
  }

  current(): string | undefined {
    return this.working.getStore()?.traceparent;
  }

  of(operation: string, traceId: string): Recorded[] {
    return this.spans.filter(({ name, parent }) => name.startsWith(operation) && parent?.includes(traceId));
  }
}

const log = quietLog();
let rabbit: Awaited<ReturnType<typeof sharedRabbit>>;
let tracing: RecordedTracing;
let broker: Broker;

beforeAll(async () => {
  rabbit = await sharedRabbit();
  const ofTest: Tracing = {
    start: (name, facts) => tracing.start(name, facts),
    run: (span, work) => tracing.run(span, work),
    current: () => tracing.current(),
  };
  const options = { tracing: ofTest, newQueueWaitMs: 0 } as const;
  broker = await connectBroker({ url: rabbit.url, service: 'test', log, ...options });
});
beforeEach(() => {
  tracing = new RecordedTracing();
});
afterAll(async () => {
  await broker?.close();
  await rabbit?.dispose();
});

const traced = (digit: string): Call => ({
  ...callOf(30_000),
  traceparent: `00-${digit.repeat(32)}-${'b'.repeat(16)}-01`,
});

/** Serves sums, and records the current span of each call. */
async function served(fails = false) {
  const { owner, contracts } = sumsContracts();
  const seen: { call: Call; current: string | undefined }[] = [];
  await broker.serve({
    owner,
    contracts,
    handlers: {
      add: {
        batch: (items) => {
          if (fails) throw new TypeError('a secret');
          for (const { call } of items) seen.push({ call, current: tracing.current() });
          return Promise.resolve(items.map(() => ({ body: { sum: 0 }, meta: { created: true } })));
        },
      },
      keep: async () => ({}),
      find: async () => ({ body: { id: '' } }),
      echo: async ({ body }) => ({ body }),
    },
  });
  return { owner, contracts, seen };
}

describe('spans of requests', () => {
  test('consist of one for the caller, a child for the owner, and children of that for the handler’s calls', async () => {
    const { owner, contracts, seen } = await served();
    await broker.ask(contracts.add, { body: { a: 1, b: 2 } }, traced('1'));
    const [sent, handled] = tracing.spans;
    const queue = `receipts.${owner}.requests`;
    expect(sent).toMatchObject({
      name: `send ${queue}`,
      kind: 'producer',
      parent: traced('1').traceparent,
      ended: true,
      attributes: {
        'messaging.system': 'rabbitmq',
        'messaging.destination.name': queue,
        'receipts.message.type': contracts.add.name,
      },
    });
    expect(handled).toMatchObject({
      name: `process ${queue}`,
      kind: 'consumer',
      parent: sent?.traceparent,
      ended: true,
      linked: [],
    });
    expect(seen.map(({ call, current }) => [call.traceparent, current])).toEqual([
      [handled?.traceparent, handled?.traceparent],
    ]);
  });

  test('share and link to the span of their batch if handled together', async () => {
    const { contracts, seen } = await served();
    const digits = ['1', '2', '3'];
    await Promise.all(
      digits.map((digit) => broker.ask(contracts.add, { body: { a: 1, b: 2 } }, traced(digit))),
    );
    const items = digits.map((digit) => tracing.of('process', digit.repeat(32)).find(({ links }) => !links));
    const batch = tracing.spans.find(({ links }) => links);
    expect(batch?.links).toEqual(items.map((item) => item?.traceparent));
    expect(batch?.attributes['messaging.batch.message_count']).toBe(digits.length);
    expect(batch?.parent).toBe(items[0]?.traceparent);
    expect(items.map((item) => item?.linked)).toEqual(items.map(() => [batch?.traceparent]));
    expect(seen.map(({ call }) => call.traceparent)).toEqual(items.map((item) => item?.traceparent));
    expect(new Set(seen.map(({ current }) => current))).toEqual(new Set([batch?.traceparent]));
  });

  test('record only the class of the error of a failed handler', async () => {
    const { contracts } = await served(true);
    await expect(broker.ask(contracts.add, { body: { a: 1, b: 2 } }, traced('1'))).rejects.toThrow();
    expect(tracing.spans.map(({ errorType }) => errorType)).toEqual(['500', 'TypeError']);
    expect(JSON.stringify(tracing.spans)).not.toContain('a secret');
  });

  test('are not started by a call without a trace', async () => {
    const { contracts } = await served();
    const { traceparent: _none, ...untraced } = callOf(30_000);
    await broker.ask(contracts.add, { body: { a: 1, b: 2 } }, untraced);
    expect(tracing.spans).toEqual([]);
  });
});

describe('spans of events', () => {
  test('are children of the event’s cause, for publisher and subscriber', async () => {
    const type = `thing.t${newId()}` as const;
    const contract = thingHappened(type, 'internal');
    const received: (string | undefined)[] = [];
    await broker.subscribe({
      queue: `tests.${newId()}`,
      subscriptions: [
        on(contract, (events) => {
          received.push(...events.map(() => tracing.current()));
          return Promise.resolve();
        }),
      ],
      exclusive: true,
    });
    const events = eventsOf(contract, 2);
    await broker.publish(events);
    await until('both events', () => Promise.resolve(received.length === 2));
    const ended = () => tracing.spans.every((span) => span.ended);
    await until('the ends of the spans', () => Promise.resolve(ended()));
    const cause = callOf().traceparent;
    const sent = tracing.spans.filter(({ kind }) => kind === 'producer');
    expect(sent.map(({ name, parent, linked }) => [name, parent, linked])).toEqual([
      [`send receipts.internal-events:${type}`, cause, [cause]],
    ]);
    const items = tracing.spans.filter(({ kind, parent }) => kind === 'consumer' && parent === cause);
    expect(items).toHaveLength(2);
    const [batch] = tracing.spans.filter(({ links }) => links);
    expect(batch?.links).toEqual(items.map(({ traceparent }) => traceparent));
    expect(received).toEqual([batch?.traceparent, batch?.traceparent]);
  });
});
