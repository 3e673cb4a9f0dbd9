import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { until } from '@receipts/testing';
import { jobBytesMax } from './incoming-job';
import { FakePlatform } from './testing/fake-platform';
import { cut, TestAgent } from './testing/test-agent';

let platform: FakePlatform;
let agent: TestAgent;

beforeEach(async () => {
  platform = await FakePlatform.start();
  agent = new TestAgent(platform.url);
});
afterEach(async () => {
  await agent.discard();
  platform.close();
});

const sent = (count: number) =>
  until(`${count} posts`, () => platform.posts.length >= count && platform.posts);
const allSent = () => until('all slips are sent', () => agent.agent.status.queue.length === 0);
const bodies = () => platform.posts.map(({ body }) => body);
const metric = async (name: string) => {
  const text = await (await agent.fetch('/metrics')).text();
  return Number(new RegExp(`^till_agent_${name} (.*)$`, 'm').exec(text)?.[1]);
};
const lamp = async () => /<title>(\w+):/.exec(await (await agent.fetch('/')).text())?.[1];

describe('a raw connection', () => {
  beforeEach(() => agent.start());

  it('transfers several jobs, each posted with the till’s metadata and its own key', async () => {
    expect(await agent.print(`\x1b@one${cut}two\x0cthree`)).toBe(true);
    const posts = await sent(3);
    expect(bodies()).toEqual([`\x1b@one${cut}`, 'two\x0c', 'three']);
    for (const { method, query, headers } of posts) {
      expect(method).toBe('POST');
      expect(query).toEqual({ store_reference: '1', till_id: 'Kasse 3 ü' });
      expect(headers['content-type']).toBe('application/octet-stream');
      expect(headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
      expect(headers.authorization).toMatch(/^Bearer ey/);
    }
    expect(new Set(posts.map(({ headers }) => headers['idempotency-key'])).size).toBe(3);
  });

  it('ends a job after silence, even in the middle of an image', async () => {
    const till = agent.connect();
    till.write('one');
    await sent(1);
    till.write('\x1dv0\0\x08\0\x40\0abc');
    await sent(2);
    till.write(`two${cut}`);
    await sent(3);
    expect(bodies()).toEqual(['one', '\x1dv0\0\x08\0\x40\0abc', `two${cut}`]);
    till.socket.destroy();
  });

  it('accepts everything that a till has sent before it resets the connection', async () => {
    const till = agent.connect();
    till.write('one');
    await until('the bytes', () => readdirSync(path.join(agent.data, 'incoming')).length > 0);
    till.socket.resetAndDestroy();
    await sent(1);
    expect(bodies()).toEqual(['one']);
  });

  it('ignores an empty job', async () => {
    expect(await agent.print(`\x1b@\n\n${cut}\x1bp\0\x19\xfa`)).toBe(true);
    expect(await agent.print(`x${cut}`)).toBe(true);
    await sent(1);
    expect(bodies()).toEqual([`x${cut}`]);
  });

  it('responds to a driver’s queries, and to those after a slip once the slip is on disk', async () => {
    const till = agent.connect();
    till.write('\x10\x04\x01\x10\x04\x04\x1dI\x43\x1da\xff');
    const answers = Buffer.from('\x12\x12_till-agent\0\x10\0\0\0', 'latin1');
    await until('answers', () => till.received.length >= answers.length);
    expect(till.received).toEqual(answers);
    till.write(`slip${cut}\x1d(H\x06\x0000abcd`);
    await until('the answer', () => till.received.includes('7"abcd\0'));
    expect(agent.agent.status.taker.taken).toBe(1);
    till.socket.destroy();
  });

  it('resets the connection if a job is too large', async () => {
    const large = 'x'.repeat(17 * 1024 * 1024);
    expect(await agent.print(large)).toBe(false);
    expect(readdirSync(path.join(agent.data, 'incoming'))).toEqual([]);
    expect(await agent.print('small')).toBe(true);
  });
});

describe('posting', () => {
  it('says its version, its clock, and how many further slips wait', async () => {
    let isBusy = true;
    platform.answers = () => (isBusy ? { status: 503, headers: { 'retry-after': '0' } } : undefined);
    await agent.start();
    await agent.print(`one${cut}two${cut}three${cut}`);
    await until('three waiting slips', () => agent.agent.status.queue.length === 3);
    isBusy = false;
    await allSent();
    const waiting = platform.posts.slice(-3).map(({ headers }) => headers['service-agent-waiting']);
    expect(waiting).toEqual(['2', '1', '0']);
    for (const { headers } of platform.posts) {
      expect(headers['service-agent-version']).toBe('1.0.0');
      const behindMs = Date.now() - Date.parse(String(headers['service-agent-time']));
      expect(Math.abs(behindMs)).toBeLessThan(60_000);
    }
  });

  it('retries forever with the same key and in order, after errors and restarts', async () => {
    const failures = [500, 503, 429, 408, 425, 302, 200];
    platform.answers = ({ path: at }) => {
      const status = at === '/pos/receipts' ? failures.shift() : undefined;
      return status === undefined ? undefined : { status };
    };
    await agent.start();
    await agent.print(`one${cut}two${cut}`);
    await sent(3);
    await agent.stop();
    await agent.start();
    await allSent();
    const keys = platform.posts.map(({ headers, body }) => `${headers['idempotency-key']} ${body}`);
    expect(new Set(keys).size).toBe(2);
    expect(bodies().at(-1)).toBe(`two${cut}`);
    expect(bodies().indexOf(`two${cut}`)).toBe(bodies().length - 1);
  });

  it('waits as long as Retry-After requests, according to the platform’s clock', async () => {
    platform.aheadMs = 1_000_000_000;
    const inTwoSeconds = () => new Date(Date.now() + platform.aheadMs + 2_000).toUTCString();
    const retryAfter = [() => '1', inTwoSeconds];
    const times: number[] = [];
    platform.answers = () => {
      times.push(performance.now());
      const next = retryAfter.shift();
      return next && { status: 503, headers: { 'retry-after': next() } };
    };
    await agent.start();
    await agent.print('one');
    await sent(3);
    const [first = 0, second = 0, third = 0] = times;
    expect(second - first).toBeGreaterThan(990);
    // HTTP dates have whole seconds. Without Retry-After, the second retry waits at most half a second.
    expect(third - second).toBeGreaterThan(900);
  });

  it.each([400, 409, 413, 415, 422])(
    'moves a slip to the refused folder after %i, continues, and sends the slip again on request',
    async (status) => {
      platform.answers = ({ body, path: at }) =>
        at === '/pos/receipts' && body === 'bad'
          ? {
              status,
              body: {
                code: 'a_code',
                description: 'a <reason>',
                errors: [{ path: '/total', message: 'is required' }],
              },
            }
          : undefined;
      await agent.start();
      await agent.print('bad');
      await agent.print('good');
      await allSent();
      expect(bodies()).toEqual(['bad', 'good']);
      const refused = path.join(agent.data, 'refused');
      const [job = '', reason = ''] = readdirSync(refused);
      expect(readFileSync(path.join(refused, reason), 'utf8')).toBe(
        `${status} a_code; a <reason>; /total is required\n`,
      );
      expect([await lamp(), await metric('refused_jobs')]).toEqual(['red', 1]);
      expect(await (await agent.fetch('/')).text()).toContain(
        `${status} a_code; a &lt;reason&gt;; /total is required`,
      );
      platform.answers = () => undefined;
      renameSync(path.join(refused, job), path.join(agent.data, 'resend', job));
      await sent(3);
      await until('no refused jobs', async () => (await metric('refused_jobs')) === 0);
      expect(readdirSync(refused)).toEqual([]);
      expect(await lamp()).toBe('green');
    },
  );

  it.each([401, 403, 404, 405])('keeps slips that get %i until the settings are right', async (status) => {
    let isWrong = true;
    platform.answers = () => (isWrong ? { status, body: { code: 'permission_denied' } } : undefined);
    await agent.start();
    await agent.print('one');
    await sent(2);
    expect([await lamp(), await metric('settings_wrong'), await metric('refused_jobs')]).toEqual([
      'red',
      1,
      0,
    ]);
    isWrong = false;
    await allSent();
    expect(await lamp()).toBe('green');
  });

  it('works with a wrong clock, because tokens use the platform’s time', async () => {
    platform.aheadMs = -3 * 365 * 86_400_000;
    const isValid = (authorization = '') => {
      const payload = Buffer.from(authorization.split('.')[1] ?? '', 'base64url').toString();
      const { iat, exp } = JSON.parse(payload) as { iat: number; exp: number };
      const now = (Date.now() + platform.aheadMs) / 1_000;
      return iat <= now + 60 && exp > now;
    };
    platform.answers = ({ headers }) => (isValid(headers.authorization) ? undefined : { status: 401 });
    await agent.start();
    await agent.print('one');
    await agent.print('two');
    await allSent();
    expect(bodies()).toEqual(['one', 'one', 'two']);
    expect(await metric('settings_wrong')).toBe(0);
  });

  it('sends the next job once the previous job is converted, even after a crash', async () => {
    let isConverted = false;
    platform.answers = ({ method, path: at, headers }) => {
      if (at === '/pos/receipts')
        return { status: 202, headers: { location: `/receipts/${headers['idempotency-key']}` } };
      return method === 'HEAD' ? { status: isConverted ? 200 : 409 } : undefined;
    };
    await agent.start();
    await agent.print('one');
    await agent.print('two');
    const reads = () => platform.requests.filter(({ method }) => method === 'HEAD').length;
    await until('reads', () => reads() >= 3);
    await agent.stop();
    await agent.start();
    await until('reads', () => reads() >= 6);
    expect(new Set(bodies())).toEqual(new Set(['one']));
    isConverted = true;
    await allSent();
    expect(bodies().at(-1)).toBe('two');
  });

  it('does not wait for conversions that it is not allowed to see', async () => {
    platform.answers = ({ method }) =>
      method === 'HEAD' ? { status: 403 } : { status: 202, headers: { location: '/receipts/1' } };
    await agent.start();
    await agent.print('one');
    await allSent();
  });
});

describe('a full queue', () => {
  it('lets the till see that further jobs are rejected, and accepts them once there is space', async () => {
    let isAway = true;
    platform.answers = () => (isAway ? { status: 503 } : undefined);
    await agent.start({ jobsMax: 2 });
    const late = agent.connect();
    late.write('half of a slip');
    await until('the bytes', () => readdirSync(path.join(agent.data, 'incoming')).length > 0);
    expect(await agent.print('one')).toBe(true);
    expect(await agent.print('two')).toBe(true);
    late.write(cut);
    expect(await late.closed).toBe(false);
    expect(await agent.print('three')).toBe(false);
    const refused = await agent.fetch('/print', { method: 'POST', body: 'three' });
    expect([refused.status, await refused.json(), refused.headers.get('retry-after')]).toMatchObject([
      503,
      { code: 'queue_full' },
      '5',
    ]);
    expect(await lamp()).toBe('red');
    isAway = false;
    await until('room', () => agent.print('four'));
    await allSent();
    expect([...new Set(bodies())]).toEqual(['one', 'two', 'four']);
  });
});

describe('HTTP', () => {
  beforeEach(() => agent.start());

  it('accepts one job with its type, metadata and key', async () => {
    const headers = {
      'content-type': 'application/json',
      'idempotency-key': 'sale-1',
      'service-external-id': '3f0c6e0e-6f0f-4b4e-9d3c-0a1b2c3d4e5f',
      'service-link': 'not-mine',
    };
    const answers = [];
    for (const body of ['{"a":1}', '{"a":1}', '{"a":2}'])
      answers.push(await agent.fetch('/print', { method: 'POST', body, headers }));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    await allSent();
    // The platform decides about other content with the same key.
    expect(bodies()).toEqual(['{"a":1}', '{"a":2}']);
    const [first, second] = platform.posts;
    expect(first?.headers).toMatchObject({
      'content-type': 'application/json',
      'service-external-id': headers['service-external-id'],
    });
    expect(first?.headers['service-link']).toBeUndefined();
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
    for (const answer of answers)
      expect(await answer.json()).toEqual({ id: first?.headers['idempotency-key'] });
  });

  it.each<[string, RequestInit, number]>([
    ['an empty body', { method: 'POST', body: '' }, 422],
    ['a cut', { method: 'POST', body: cut, headers: { 'content-type': 'application/octet-stream' } }, 422],
    ['another method', { method: 'PUT', body: 'x' }, 405],
    ['a web page', { method: 'POST', body: 'x', headers: { origin: 'https://evil.example' } }, 403],
  ])('rejects %s', async (_what, init, status) => {
    expect((await agent.fetch('/print', init)).status).toBe(status);
    expect(agent.agent.status.queue.length).toBe(0);
  });

  it('shows the status in a browser without scripts', async () => {
    const answer = await agent.fetch('/');
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    const page = await answer.text();
    expect(page).toContain('store 1, till Kasse 3 ü');
    expect(page).toContain('All slips have been sent.');
    expect(page).toContain('prefers-color-scheme: dark');
    expect(page).not.toContain('<script');
    expect((await agent.fetch('/other')).status).toBe(404);
  });

  it('ignores a truncated request', async () => {
    const till = agent.connect();
    till.socket.destroy();
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from('half'));
        setTimeout(() => controller.error(new Error('gone')), 100);
      },
    });
    await expect(
      agent.fetch('/print', { method: 'POST', body: stream, duplex: 'half' } as RequestInit),
    ).rejects.toThrow();
    await until('nothing remains', () => readdirSync(path.join(agent.data, 'incoming')).length === 0);
    expect(agent.agent.status.queue.length).toBe(0);
  });
});

describe('a watched folder', () => {
  let folder: string;
  const drop = (name: string, text: string) => {
    writeFileSync(path.join(folder, `${name}.tmp`), text);
    renameSync(path.join(folder, `${name}.tmp`), path.join(folder, name));
  };
  const inFolder = () => readdirSync(folder, { recursive: true }).sort();

  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'till-agent-watch-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('accepts each complete file as one job of its type, and removes it', async () => {
    await agent.start({ watch: folder });
    drop('1.json', '{"n":1}');
    drop('2.prn', `slip${cut}`);
    writeFileSync(path.join(folder, '.hidden'), 'x');
    writeFileSync(path.join(folder, 'half.part'), 'x');
    const posts = await sent(2);
    expect(posts.map(({ body, headers }) => [body, headers['content-type']]).sort()).toEqual([
      [`slip${cut}`, 'application/octet-stream'],
      ['{"n":1}', 'application/json'],
    ]);
    await until('the files are gone', () => inFolder().length === 3);
    expect(inFolder()).toEqual(['.hidden', '.taking', 'half.part']);
  });

  it('does not accept a file that is still growing', async () => {
    await agent.start({ watch: folder, silenceMs: 500 });
    const file = path.join(folder, 'grows.txt');
    let text = '';
    const lines = 60;
    await until(`${lines} lines`, () => {
      text += 'line\n';
      writeFileSync(file, text);
      return text.length >= lines * 5;
    });
    await sent(1);
    await allSent();
    expect(bodies()).toEqual([text]);
  });

  it('accepts the other files if one cannot be accepted, and reports this', async () => {
    await agent.start({ watch: folder });
    drop('large.txt', '');
    truncateSync(path.join(folder, 'large.txt'), jobBytesMax + 1);
    // Reading a folder as a file fails for every user, including root.
    mkdirSync(path.join(folder, '.taking', '00000000-0000-4000-8000-000000000003-unreadable.txt'));
    drop(`${'ü'.repeat(120)}.json`, '{"n":1}');
    const [post] = await sent(1);
    expect([post?.body, post?.headers['content-type']]).toEqual(['{"n":1}', 'application/json']);
    await until('the trouble', async () =>
      /Watched folder.*yellow.*cannot be accepted/.test(await (await agent.fetch('/')).text()),
    );
    expect(inFolder()).toContain('large.txt');
  });

  it('after a crash, accepts only files that were not accepted before', async () => {
    platform.answers = () => ({ status: 503 });
    await agent.start();
    const id = '00000000-0000-4000-8000-000000000001';
    const job = agent.agent.status.queue.begin(id);
    await job.write(Buffer.from('taken'));
    await job.commit({ contentType: 'text/plain' }, { isPrinted: false });
    await agent.stop();
    mkdirSync(path.join(folder, '.taking'));
    writeFileSync(path.join(folder, '.taking', `${id}-taken.txt`), 'taken');
    writeFileSync(path.join(folder, '.taking', '00000000-0000-4000-8000-000000000002-not.txt'), 'not taken');
    platform.answers = () => undefined;
    platform.requests.length = 0;
    await agent.start({ watch: folder });
    await until('the folder is empty', () => inFolder().length === 1);
    await allSent();
    expect(bodies()).toEqual(['taken', 'not taken']);
  });
});
