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
