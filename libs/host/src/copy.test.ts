import { serviceCall, type EventContract } from '@receipts/kernel';
import { silentLog, until } from '@receipts/testing';
import type { z } from 'zod';
import { Copy, type CopyOptions, type CopyPage } from './copy';

interface Shop {
  readonly id: string;
  readonly reference: number;
  readonly version: number;
}

const shop = (id: string, version: number, reference = Number(id)): Shop => ({ id, version, reference });
const call = serviceCall('test', Date.now(), 'demo');
const nothing: CopyPage<Shop> = { records: [], next: null };

function copyOf(options: Partial<CopyOptions<Shop>> = {}): Copy<Shop> {
  return new Copy<Shop>({
    name: 'shops',
    keyOf: ({ id }: Shop) => id,
    log: silentLog,
    lookups: { reference: ({ reference }) => String(reference) },
    list: () => Promise.resolve(nothing),
    events: [],
    ...options,
  });
}

/** An owner that answers requests for one record with these, in order. */
function requestsOf(...answers: (Shop | null)[]) {
  return jest.fn((_id: string) => Promise.resolve(answers.shift() ?? null));
}

const versions = (copy: Copy<Shop>) => [...copy.values()].map(({ id, version }) => [id, version]).sort();

test('applies the events of the owner whose data is a record', async () => {
  const changed = { type: 'shop.changed' } as EventContract<string, z.ZodType<Shop>>;
  const copy = copyOf({ events: [changed] });
  expect(copy.events.contracts).toEqual([changed]);
  await copy.events.handle([{ data: shop('1', 1) }, { data: shop('1', 2) }] as never);
  expect(versions(copy)).toEqual([['1', 2]]);
});

test('reads all records again after an event that could not be applied', async () => {
  const changed = { type: 'shop.changed' } as EventContract<string, z.ZodType<Shop>>;
  let failuresLeft = 2;
  const store = {
    async *load(): AsyncIterable<Shop> {},
    save: () => (failuresLeft-- > 0 ? Promise.reject(new Error('the database is away')) : Promise.resolve()),
  };
  const list = () => Promise.resolve({ records: [shop('1', 2)], next: null });
  const copy = copyOf({ events: [changed], store, list });
  await expect(copy.events.handle([{ data: shop('1', 2) }] as never)).rejects.toThrow('the database is away');
  await until('the copy has the record', () => copy.get('1')?.version === 2);
  copy.stop();
});

describe('the records of a copy', () => {
  test.each([[[1, 2, 3, 4, 5]], [[5, 4, 3, 2, 1]], [[3, 1, 5, 5, 2, 4, 1]]])(
    'have the newest version, regardless of order and redelivery: %j',
    async (order) => {
      const copy = copyOf();
      for (const version of order) await copy.apply([shop('1', version)]);
      await copy.apply([shop('2', 2), shop('2', 3), shop('2', 1)]);
      expect(versions(copy)).toEqual([
        ['1', 5],
        ['2', 3],
      ]);
    },
  );

  test('are found by their lookups, even after a key has moved to another record', async () => {
    const copy = copyOf();
    await copy.apply([shop('1', 1, 7)]);
    await copy.apply([shop('2', 1, 7), shop('1', 2, 8)]);
    expect([copy.getBy('reference', '7')?.id, copy.getBy('reference', '8')?.id]).toEqual(['2', '1']);
    await copy.apply([shop('2', 2, 9)]);
    expect(copy.getBy('reference', '7')).toBeUndefined();
    expect(() => copy.getBy('name', 'x')).toThrow('no lookup');
  });

  test('are not used once an event has outdated them, until a newer version arrives', async () => {
    const request = requestsOf(shop('1', 1), shop('1', 2));
    const copy = copyOf({ request });
    await copy.apply([shop('1', 1, 7)]);
    copy.outdate('1', 2);
    expect([copy.get('1'), copy.getBy('reference', '7')]).toEqual([undefined, undefined]);
    await copy.apply([shop('1', 1)]);
    expect([copy.get('1'), await copy.find('1', call)]).toEqual([undefined, undefined]);
    expect(await copy.find('1', call)).toEqual(shop('1', 2));
    copy.outdate('1', 2);
    expect(copy.get('1')).toEqual(shop('1', 2));
  });

  test('count at once if they are not stored', () => {
    const copy = copyOf();
    void copy.apply([shop('1', 1)]);
    expect(copy.get('1')).toEqual(shop('1', 1));
  });

  test('are stored before they count, and loaded again', async () => {
    const stored: Shop[] = [];
    let isBroken = true;
    const store = {
      async *load() {
        yield* await Promise.resolve(stored);
      },
      save(records: readonly Shop[]) {
        if (isBroken) return Promise.reject(new Error('lost'));
        stored.push(...records);
        return Promise.resolve();
      },
    };
    const copy = copyOf({ store });
    await expect(copy.apply([shop('1', 1)])).rejects.toThrow('lost');
    expect(copy.get('1')).toBeUndefined();
    isBroken = false;
    await copy.apply([shop('1', 1), shop('2', 4)]);
    const restarted = copyOf({ store });
    expect(await restarted.load()).toBe(2);
    expect(restarted.getBy('reference', '2')).toEqual(shop('2', 4));
  });
});

describe('a record that is not known', () => {
  test('is requested once, for all who want it', async () => {
    const request = requestsOf(shop('1', 1));
    const copy = copyOf({ request });
    expect(await Promise.all([copy.find('1', call), copy.find('1', call)])).toEqual([
      shop('1', 1),
      shop('1', 1),
    ]);
    expect(await copy.find('1', call)).toEqual(shop('1', 1));
    expect(request).toHaveBeenCalledTimes(1);
  });

  test('is requested again for a caller that has more time than the first', async () => {
    const copy = copyOf({
      request: (_id, { deadline }) =>
        deadline === 0 ? Promise.reject(new Error('no time is left')) : Promise.resolve(shop('1', 1)),
    });
    const [first, second] = [0, Infinity].map((deadline) => copy.find('1', { ...call, deadline }));
    await expect(first).rejects.toThrow('no time is left');
    expect(await second).toEqual(shop('1', 1));
  });

  test('is undefined, or causes a 503 if it must exist, and is requested again', async () => {
    const copy = copyOf({ request: requestsOf(null, null, shop('1', 1)) });
    expect(await copy.find('1', call)).toBeUndefined();
    await expect(copy.need('1', call)).rejects.toMatchObject({ status: 503 });
    expect(await copy.need('1', call)).toEqual(shop('1', 1));
  });
});

describe('reading all records', () => {
  test('takes every page, newer versions only, and removes what the owner no longer has', async () => {
    const pages: Record<string, CopyPage<Shop>> = {
      '': { records: [shop('1', 3), shop('2', 1)], next: '2' },
      2: { records: [shop('3', 1)], next: null },
    };
    const copy = copyOf({ list: (after = '') => Promise.resolve(pages[after] ?? nothing) });
    await copy.apply([shop('1', 9), shop('4', 1)]);
    await copy.readAll();
    expect(versions(copy)).toEqual([
      ['1', 9],
      ['2', 1],
      ['3', 1],
    ]);
  });

  test('keeps what arrives meanwhile', async () => {
    const copy: Copy<Shop> = copyOf({
      list: async () => {
        await copy.apply([shop('1', 2), shop('5', 1)]);
        return nothing;
      },
    });
    await copy.apply([shop('1', 1)]);
    await copy.readAll();
    expect(versions(copy)).toEqual([
      ['1', 2],
      ['5', 1],
    ]);
  });

  test('is retried until the owner replies', async () => {
    const list = jest.fn(() => Promise.resolve(nothing)).mockRejectedValueOnce(new Error('away'));
    const copy = copyOf({ list });
    copy.start();
    await until('the copy is complete', () => copy.isComplete);
    copy.stop();
    expect(list).toHaveBeenCalledTimes(2);
  });

  test('happens again at regular intervals, because the broker may lose an event', async () => {
    jest.useFakeTimers();
    try {
      const list = jest.fn(() => Promise.resolve(nothing));
      const copy = copyOf({ list });
      copy.start();
      await jest.advanceTimersByTimeAsync(301_000);
      expect(list).toHaveBeenCalledTimes(2);
      copy.stop();
      await jest.advanceTimersByTimeAsync(600_000);
      expect(list).toHaveBeenCalledTimes(2);
    } finally {
      jest.useRealTimers();
    }
  });
});
