import { notFound, ServiceError } from '@receipts/kernel';
import { until } from '@receipts/testing';
import { commandQueue, deadLetterQueue, type Broker, type ServeOptions } from '../src';
import { callOf, sumsContracts, sumsHandlers as handlers } from './sums';

type Contracts = ReturnType<typeof sumsContracts>['contracts'];
type SumsHandlers = ServeOptions<Contracts>['handlers'];

/** The environment of the cases: two processes on one broker. */
interface World {
  readonly owning: Broker;
  readonly asking: Broker;
  /** A broker client that may be closed. */
  another(): Promise<Broker>;
}

/** The guarantees of every broker, both the real one and the fake. */
export function brokerCases(world: () => World): void {
  /** Serves new contracts, with these handlers replacing the default handlers. */
  async function served(changed: Partial<SumsHandlers> = {}) {
    const { owner, contracts } = sumsContracts();
    const consumer = await world().owning.serve({
      owner,
      contracts,
      handlers: { ...handlers, ...changed },
    });
    return { owner, contracts, consumer };
  }

  describe('asking', () => {
    let contracts: Contracts;
    beforeAll(async () => {
      ({ contracts } = await served());
    });

    test('returns the owner’s reply', async () => {
      const answer = await world().asking.ask(contracts.add, { body: { a: 1, b: 2 } }, callOf());
      expect(answer).toEqual({ body: { sum: 3 }, meta: { created: true }, replayed: false });
      expect((await world().asking.ask(contracts.find, { params: { id: 'x' } }, callOf())).body).toEqual({
        id: 'x',
      });
    });

    test('passes on any number of bytes unchanged', async () => {
      const body = Buffer.alloc(3 * 1024 * 1024, 'äö\u0000');
      const reply = await world().asking.askRaw(
        contracts.echo,
        { body, contentType: 'text/plain' },
        callOf(),
      );
      expect(reply.body.equals(body)).toBe(true);
    });

    test('throws the owner’s error, without its internal detail', async () => {
      const refused = await world()
        .asking.ask(contracts.find, { params: { id: 'none' } }, callOf())
        .catch((e: unknown) => e);
      expect(refused).toBeInstanceOf(ServiceError);
      const expected = { status: 404, code: 'not_found', description: 'not found', extra: { id: 'none' } };
      expect((refused as ServiceError).toWire()).toEqual(expected);
      expect((refused as ServiceError).internal).toBeUndefined();
    });

    test('throws a 500 without details for an unexpected error', async () => {
      const refused = await world()
        .asking.ask(contracts.find, { params: { id: 'broken' } }, callOf())
        .catch((e: unknown) => e);
      expect((refused as ServiceError).toWire()).toEqual({ status: 500, description: 'internal error' });
    });

    test('returns its own reply to each of many callers', async () => {
      const asked = Array.from({ length: 1_000 }, (_, a) =>
        world().asking.ask(contracts.add, { body: { a, b: 1 } }, callOf()),
      );
      const sums = (await Promise.all(asked)).map(({ body }) => body.sum);
      expect(sums).toEqual(Array.from({ length: 1_000 }, (_, a) => a + 1));
    });

    test('ends with 503 if the contract is not served', async () => {
      const { contracts: unserved } = sumsContracts();
      const started = Date.now();
      await expect(
        world().asking.ask(unserved.find, { params: { id: 'x' } }, callOf(60_000)),
      ).rejects.toMatchObject({
        status: 503,
        code: 'unavailable',
        headers: { 'retry-after': '1' },
      });
      await expect(
        world().asking.send(unserved.keep, { body: { n: 1 } }, callOf(60_000)),
      ).rejects.toMatchObject({
        status: 503,
      });
      expect(Date.now() - started).toBeLessThan(30_000);
    });
  });

  describe('a deadline', () => {
    test('ends the wait, and prevents work that has not started', async () => {
      const begun: number[] = [];
      let release: () => void = () => {};
      const gate = new Promise<void>((resolve) => (release = resolve));
      const { owner, contracts } = sumsContracts();
      await world().owning.serve({
        owner,
        contracts,
        handlers: {
          ...handlers,
          add: async ({ body }) => {
            begun.push(body.a);
            await gate;
            return { body: { sum: 0 }, meta: { created: true } };
          },
        },
        concurrency: 1,
      });
      const first = world().asking.ask(contracts.add, { body: { a: 1, b: 0 } }, callOf());
      await until('the first is begun', () => begun.length === 1);
      const started = Date.now();
      await expect(
        world().asking.ask(contracts.add, { body: { a: 2, b: 0 } }, callOf(200)),
      ).rejects.toMatchObject({
        status: 503,
      });
      expect(Date.now() - started).toBeLessThan(30_000);
      const third = world().asking.ask(contracts.add, { body: { a: 3, b: 0 } }, callOf());
      release();
      await Promise.all([first, third]);
      expect(begun).toEqual([1, 3]);
    });

    test('that has passed ends the call without a request', async () => {
      const { contracts } = sumsContracts();
      await expect(
        world().asking.ask(contracts.find, { params: { id: 'x' } }, callOf(-1)),
      ).rejects.toMatchObject({
        status: 503,
      });
    });
  });

  describe('batches', () => {
    test('contain the waiting items, and one bad item does not affect the others', async () => {
      const sizes: number[] = [];
      const { contracts } = await served({
        add: {
          batch: async (items) => {
            sizes.push(items.length);
            if (items.some(({ input }) => input.body.a === 7)) throw new Error('poison');
            return items.map(({ input }) =>
              input.body.a === 9
                ? new ServiceError(notFound)
                : { body: { sum: input.body.a }, meta: { created: true } },
            );
          },
        },
      });
      const asked = Array.from({ length: 64 }, (_, a) =>
        world().asking.ask(contracts.add, { body: { a, b: 0 } }, callOf()),
      );
      const results = await Promise.allSettled(asked);
      const failed = results.flatMap((result, a) =>
        result.status === 'rejected' ? [[a, (result.reason as ServiceError).status]] : [],
      );
      expect(failed).toEqual([
        [7, 500],
        [9, 404],
      ]);
      expect(sizes[0]).toBe(64);
      expect(sizes).toHaveLength(65);
    });
  });

  describe('one-way commands', () => {
    test('are handled after the confirm, with their own deadline, by a handler that knows that no caller waits', async () => {
      const handled: [number, boolean][] = [];
      const { contracts, owner } = await served({
        keep: async ({ body }, call) => {
          handled.push([body.n, call.deadline > Date.now() && call.isOneWay === true]);
          return {};
        },
      });
      await Promise.all(
        Array.from({ length: 200 }, (_, n) =>
          world().asking.send(contracts.keep, { body: { n } }, callOf(30_000)),
        ),
      );
      await until('all are handled', () => handled.length === 200);
      expect(new Set(handled.map(([n]) => n)).size).toBe(200);
      expect(handled.every(([, isAsExpected]) => isAsExpected)).toBe(true);
      await world().asking.ask(contracts.keep, { body: { n: 200 } }, callOf());
      expect(handled.at(-1)).toEqual([200, false]);
      await until(
        'all are acknowledged',
        async () => (await world().asking.depth([commandQueue(owner)]))[0]?.messages === 0,
      );
    });

    test('are those that declare it: every other command can only be asked', async () => {
      const { contracts } = await served();
      await expect(world().asking.send(contracts.add, { body: { a: 1, b: 2 } }, callOf())).rejects.toThrow(
        'can only be asked',
      );
    });

    test('that fail are retried, then dead-lettered with all details, shown, replayed and discarded', async () => {
      const tries: number[] = [];
      let isMended = false;
      const { contracts, owner } = await served({
        keep: async ({ body }) => {
          tries.push(body.n);
          if (body.n === 13 && !isMended) throw new Error('unlucky');
          return {};
        },
      });
      const call = callOf();
      const sends = Array.from({ length: 20 }, (_, n) =>
        world().asking.send(contracts.keep, { body: { n } }, n === 13 ? call : callOf()),
      );
      await Promise.all(sends);
      const queue = commandQueue(owner);
      await until(
        'it is dead-lettered',
        async () => (await world().asking.deadLetters.list(queue)).length === 1,
      );
      expect(tries.filter((n) => n === 13)).toHaveLength(5);
      expect(tries.filter((n) => n !== 13)).toHaveLength(19);

      const [letter] = await world().asking.deadLetters.list(queue);
      expect(letter).toMatchObject({
        id: call.id,
        type: contracts.keep.name,
        retailer: 'r-1',
        reason: 'Error: unlucky',
        attempts: 5,
        queue,
        traceId: '0af7651916cd43dd8448eb211c80319c',
        requestId: call.requestId,
      });
      expect(Date.parse(letter?.firstFailedAt ?? '')).toBeLessThan(Date.parse(letter?.lastFailedAt ?? ''));
      const shown = await world().asking.deadLetters.show(queue, call.id);
      expect(shown?.content).toMatchObject([{ body: { n: 13 }, call: { id: call.id } }]);

      isMended = true;
      expect(await world().asking.deadLetters.replay(queue, [call.id], new Date())).toBe(1);
      await until('it is handled', () => tries.filter((n) => n === 13).length === 6);
      expect(await world().asking.deadLetters.list(queue)).toEqual([]);
    });

    test('that are rejected are dead-lettered immediately, and can be discarded', async () => {
      const { contracts, owner } = await served({
        keep: async () => {
          throw new ServiceError(notFound, { internal: 'no such thing' });
        },
      });
      const calls = [callOf(), callOf(), callOf()];
      for (const call of calls) await world().asking.send(contracts.keep, { body: { n: 1 } }, call);
      const queue = commandQueue(owner);
      await until(
        'they are dead-lettered',
        async () => (await world().asking.depth([deadLetterQueue(queue)]))[0]?.messages === 3,
      );
      const [first, second, third] = await world().asking.deadLetters.list(queue);
      expect(first).toMatchObject({ attempts: 1, reason: '404 not_found not found (no such thing)' });
      expect(await world().asking.deadLetters.discard(queue, [second?.id ?? ''], new Date())).toBe(1);
      expect(await world().asking.deadLetters.list(queue)).toEqual([first, third]);
      const looks = Array.from({ length: 8 }, () => world().asking.deadLetters.list(queue));
      expect(await Promise.all(looks)).toEqual(looks.map(() => [first, third]));
      expect(
        await world().asking.deadLetters.discard(queue, [first?.id ?? '', third?.id ?? ''], new Date()),
      ).toBe(2);
      expect(await world().asking.deadLetters.list(queue)).toEqual([]);
    });
  });

  test('immediately rejects new calls after the broker was closed', async () => {
    const broker = await world().another();
    await broker.close();
    const { contracts } = sumsContracts();
    await expect(broker.ask(contracts.find, { params: { id: '1' } }, callOf())).rejects.toMatchObject({
      status: 503,
    });
    expect(broker.state).toBe('down');
  });
}
