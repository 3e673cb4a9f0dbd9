import { stopInOrder, type StopStep } from './stop-in-order';

const never = () => new Promise(() => undefined);

describe('stopping in order', () => {
  test('continues after a step that fails or hangs, and reports it at the end', async () => {
    const stopped: string[] = [];
    const stopping = stopInOrder(400, [
      { name: 'http', weight: 1, stop: () => stopped.push('http') },
      { name: 'consumers', weight: 1, stop: () => Promise.reject(new Error('lost')) },
      {
        name: 'timers',
        weight: 1,
        stop() {
          throw new Error('no timer');
        },
      },
      { name: 'broker', weight: 1, stop: never },
      { name: 'database', weight: 1, stop: () => stopped.push('database') },
    ]);
    await expect(stopping).rejects.toThrow(/^lost; no timer; stopping broker took longer than 0\.\d+ s$/);
    expect(stopped).toEqual(['http', 'database']);
  });

  describe('with a clock of the test', () => {
    beforeEach(() => jest.useFakeTimers());
    afterEach(() => jest.useRealTimers());

    /** Stops steps that all hang. @returns when each began, how long its work may take, and when all ended */
    async function stopHanging(graceMs: number, weights: readonly number[]) {
      const startedAt = performance.now();
      const begun: { readonly atMs: number; readonly graceMs: number }[] = [];
      const steps = weights.map((weight, n): StopStep => {
        const stop = (grace: number) => {
          begun.push({ atMs: performance.now() - startedAt, graceMs: grace });
          return never();
        };
        return { name: String(n), weight, stop };
      });
      const stopping = expect(stopInOrder(graceMs, steps)).rejects.toThrow('took longer');
      await jest.advanceTimersByTimeAsync(graceMs);
      await stopping;
      return { begun, endedAfterMs: performance.now() - startedAt };
    }

    test.each([100, 12_000, 120_000])(
      'takes at most the whole time of %d ms, even if all steps hang',
      async (graceMs) => {
        const { begun, endedAfterMs } = await stopHanging(graceMs, [1, 6, 2, 1]);
        expect(endedAfterMs).toBe(graceMs);
        expect(begun.map(({ atMs }) => atMs)).toEqual([0, 0.1, 0.7, 0.9].map((part) => part * graceMs));
        expect(begun.map((step) => step.graceMs / graceMs)).toEqual(
          [0.09, 0.54, 0.18, 0.09].map((part) => expect.closeTo(part)),
        );
      },
    );

    test('leaves the time that a step does not need to the next', async () => {
      let graceMs = 0;
      const stopping = stopInOrder(1_000, [
        { name: 'quick', weight: 1, stop: () => undefined },
        { name: 'slow', weight: 1, stop: (grace) => void (graceMs = grace) },
      ]);
      await jest.advanceTimersByTimeAsync(0);
      await stopping;
      expect(graceMs).toBe(900);
    });
  });
});
