import { readFile } from 'node:fs/promises';
import { isIPv4 } from 'node:net';
import { hostResolver } from './resolve-host';

const patient = () => AbortSignal.timeout(60_000);

it('returns an address as it is, and never looks up localhost', async () => {
  const resolve = hostResolver(() => Promise.reject(new Error('was looked up')));
  expect(await resolve('8.8.8.8', patient())).toEqual(['8.8.8.8']);
  for (const host of ['localhost', 'a.localhost.', 'LOCALHOST']) {
    expect(await resolve(host, patient())).toEqual(['127.0.0.1', '::1']);
  }
});

it('finds the names in the hosts file', async () => {
  const lines = (await readFile('/etc/hosts', 'utf8'))
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim());
  const entries = lines.filter((line) => line !== '').map((line) => line.split(/\s+/));
  expect(entries.length).toBeGreaterThan(0);
  for (const [address = '', name = ''] of entries) {
    if (isIPv4(address) && !name.includes('localhost'))
      expect(await hostResolver()(name, patient())).toContain(address);
  }
});

/** A resolver whose lookups a test answers. */
function controlled() {
  const pending = new Map<string, { done: (found: string[]) => void; fail: (error: Error) => void }>();
  const asked: string[] = [];
  const resolve = hostResolver((host) => {
    asked.push(host);
    return new Promise((done, fail) => pending.set(host, { done, fail }));
  });
  const ask = (host: string, signal = patient()) =>
    resolve(host, signal).catch((error: Error) => error.message);
  const fail = async (host: string) => {
    const answer = ask(host);
    pending.get(host)?.fail(new Error('no answer'));
    expect(await answer).toBe('no answer');
  };
  return { ask, fail, asked, answer: (host: string) => pending.get(host)?.done([host]) };
}

it('looks up names that failed last time one after the other, and other names at once', async () => {
  const { ask, fail, asked, answer } = controlled();
  await fail('dead');
  await fail('slow');
  asked.length = 0;
  const [dead, slow] = [ask('dead'), ask('slow')];
  const healthy = ask('healthy');
  answer('healthy');
  expect(await healthy).toEqual(['healthy']);
  expect(asked).toEqual(expect.not.arrayContaining(['slow']));
  answer('dead');
  expect(await dead).toEqual(['dead']);
  while (!asked.includes('slow')) await new Promise(setImmediate);
  answer('slow');
  expect(await slow).toEqual(['slow']);
});

it('looks up a name once for concurrent requests, and not for those that have given up', async () => {
  const { ask, fail, asked, answer } = controlled();
  const both = [ask('shop'), ask('shop')];
  answer('shop');
  expect(await Promise.all(both)).toEqual([['shop'], ['shop']]);
  expect(asked).toEqual(['shop']);
  await fail('dead');
  asked.length = 0;
  expect(await ask('dead', AbortSignal.abort(new Error('too late')))).toBe('too late');
  expect(asked).toEqual([]);
});
