import fc from 'fast-check';
import { TillNumbers, type TillNumber } from './till-numbers';

const numbersOf = (all: readonly TillNumber[]) => {
  const numbers = TillNumbers.empty();
  for (const one of all) numbers.add(one);
  return numbers;
};
/** Sold one second after the other. */
const inOrder = (...numbers: readonly number[]) => numbers.map((number, at) => ({ number, at }));
const gapsOf = (...numbers: readonly number[]) => numbersOf(inOrder(...numbers)).gaps();

describe('the numbers of a till', () => {
  it('have no gap if they count up', () => {
    const none = { missing: [], repeated: 0, restarts: 0 };
    expect(gapsOf(7)).toEqual({ first: 7, last: 7, received: 1, ...none });
    expect(gapsOf(0, 1, 2)).toEqual({ first: 0, last: 2, received: 3, ...none });
    expect(numbersOf([]).gaps()).toBeUndefined();
  });

  it('have gaps, which late receipts close', () => {
    expect(gapsOf(1, 2, 5, 9)?.missing).toEqual([
      [3, 4],
      [6, 8],
    ]);
    expect(gapsOf(1, 2, 5, 9, 4, 3)).toMatchObject({ missing: [[6, 8]], first: 1, last: 9, received: 6 });
  });

  it('count repetitions apart', () => {
    expect(gapsOf(1, 2, 2, 3, 1)).toMatchObject({ received: 5, repeated: 2, missing: [] });
  });

  it('begin again if they fall by more than 1,000', () => {
    expect(gapsOf(5000, 5002, 1, 2)).toEqual({
      first: 5000,
      last: 2,
      received: 4,
      missing: [[5001, 5001]],
      repeated: 0,
      restarts: 1,
    });
    expect(gapsOf(1001, 1)).toMatchObject({ restarts: 0, missing: [[2, 1000]] });
    expect(gapsOf(1002, 1)).toMatchObject({ restarts: 1, missing: [] });
  });

  it('find their place by the time of sale, whenever they arrive', () => {
    const sold = inOrder(5000, 5001, 5002, 1, 2, 3);
    const expected = numbersOf(sold).gaps();
    for (const order of [
      [3, 4, 5, 0, 1, 2],
      [5, 4, 3, 2, 1, 0],
      [0, 3, 1, 4, 2, 5],
    ]) {
      expect(numbersOf(order.map((n) => sold[n] as TillNumber)).gaps()).toEqual(expected);
    }
    const backlog = [...inOrder(1, 2), { number: 3000, at: 9_000 }];
    for (let n = 3; n < 3000; n++) backlog.push({ number: n, at: n });
    expect(numbersOf(backlog).gaps()).toMatchObject({ missing: [], restarts: 0, received: 3000 });
  });

  it('are in the order of their arrival if they were sold at one time', () => {
    const sold = (...numbers: readonly number[]) =>
      numbersOf(numbers.map((number) => ({ number, at: 0 }))).gaps();
    expect(sold(1, 2, 2005)).toMatchObject({ first: 1, last: 2005, missing: [[3, 2004]], restarts: 0 });
    expect(sold(5000, 5001, 1, 2)).toMatchObject({ first: 5000, last: 2, missing: [], restarts: 1 });
    const tens = Array.from({ length: 150 }, (_, n) => 10 * n);
    expect(sold(...tens)).toMatchObject({ first: 0, last: 1490, received: 150, restarts: 0 });
  });

  it('are the same in any order of arrival, also around a restart', () => {
    const expected = { restarts: 1, missing: [[3, 1499]], repeated: 0, received: 4 };
    const sold = inOrder(1, 2, 1500, 3);
    for (const order of [
      [0, 1, 2, 3],
      [0, 1, 3, 2],
      [3, 2, 1, 0],
    ])
      expect(numbersOf(order.map((n) => sold[n] as TillNumber)).gaps()).toMatchObject(expected);

    const sale = fc.record({
      number: fc.nat({ max: 4_000 }),
      at: fc.nat({ max: 1_000 }),
      bucket: fc.nat({ max: 2 }),
    });
    fc.assert(
      fc.property(fc.uniqueArray(sale, { maxLength: 60, selector: ({ at }) => at }), (arrived) => {
        const buckets = [0, 1, 2].map((n) => numbersOf(arrived.filter(({ bucket }) => bucket === n)));
        const sorted = arrived.toSorted((a, b) => a.at - b.at);
        expect(TillNumbers.joined(buckets).gaps()).toEqual(numbersOf(sorted).gaps());
        let restarts = 0;
        let last: (typeof sorted)[number] | undefined;
        for (const one of sorted) {
          if (last && one.number < last.number - 1_000) restarts++;
          if (!last || one.at > last.at || one.number < last.number - 1_000) last = one;
        }
        if (sorted.length > 0) expect(numbersOf(arrived).gaps()).toMatchObject({ restarts });
      }),
    );
  });

  it('are those of a plain list, in any order of arrival and over several buckets', () => {
    const sale = fc.record({
      number: fc.nat({ max: 60 }),
      at: fc.nat({ max: 20 }),
      bucket: fc.nat({ max: 2 }),
    });
    fc.assert(
      fc.property(fc.array(sale, { maxLength: 40 }), (sales) => {
        const buckets = [0, 1, 2].map((n) => numbersOf(sales.filter(({ bucket }) => bucket === n)));
        const read = buckets.map((one) =>
          TillNumbers.read(JSON.parse(JSON.stringify(one.printed())) as ReturnType<TillNumbers['printed']>),
        );
        const gaps = TillNumbers.joined(read).gaps();
        const distinct = new Set(sales.map(({ number }) => number));
        if (distinct.size === 0) return expect(gaps).toBeUndefined();
        const missing = gaps?.missing.flatMap(([from, to]) =>
          Array.from({ length: to - from + 1 }, (_, i) => from + i),
        );
        const [low, high] = [Math.min(...distinct), Math.max(...distinct)];
        const all = Array.from({ length: high - low + 1 }, (_, i) => low + i);
        expect(gaps).toMatchObject({ first: low, last: high, received: sales.length, restarts: 0 });
        expect(gaps?.repeated).toBe(sales.length - distinct.size);
        expect(missing).toEqual(all.filter((number) => !distinct.has(number)));
      }),
    );
  });

  it('take a bounded size, and keep the lowest gaps', () => {
    const even = numbersOf(inOrder(...Array.from({ length: 5_000 }, (_, n) => 2 * n)));
    expect(JSON.stringify(even.printed()).length).toBeLessThan(20_000);
    expect(even.gaps()).toMatchObject({ first: 0, last: 9_998, received: 5_000 });
    expect(even.gaps()?.missing.slice(0, 2)).toEqual([
      [1, 1],
      [3, 3],
    ]);
    const wild = numbersOf(inOrder(...Array.from({ length: 5_000 }, (_, n) => (n % 2) * 5_000 + n)));
    expect(JSON.stringify(wild.printed()).length).toBeLessThan(100_000);
    expect(wild.gaps()?.received).toBe(5_000);
  });
});
