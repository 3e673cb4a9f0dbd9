import { SingleFlight } from './single-flight';

it('merges concurrent requests for a key, and repeats later ones and those that failed', async () => {
  const flights = new SingleFlight<number>();
  let count = 0;
  const request = () => Promise.resolve(++count);
  const [first, second] = [flights.run('a', request), flights.run('a', request)];
  const other = flights.run('b', request);
  expect(await Promise.all([first, second, other])).toEqual([1, 1, 2]);
  const failing = () => Promise.reject(new Error('refused'));
  await expect(flights.run('a', failing)).rejects.toThrow('refused');
  expect(await flights.run('a', request)).toBe(3);
});

it('repeats a failed request once, for the callers that still have time', async () => {
  const flights = new SingleFlight<number>();
  let count = 0;
  const request = () =>
    ++count === 2 ? Promise.resolve(count) : Promise.reject(new Error(`refused ${count}`));
  const patient = { deadline: Infinity };
  const all = () => [undefined, undefined, patient, patient].map((limit) => flights.run('a', request, limit));
  const refused = (n: number) => ({ status: 'rejected', reason: new Error(`refused ${n}`) });
  const second = { status: 'fulfilled', value: 2 };
  expect(await Promise.allSettled(all())).toEqual([refused(1), refused(1), second, second]);
  expect(await Promise.allSettled(all())).toEqual([refused(3), refused(3), refused(4), refused(4)]);
});
