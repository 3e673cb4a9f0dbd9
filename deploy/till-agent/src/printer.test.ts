import { readdirSync } from 'node:fs';
import path from 'node:path';
import { until } from '@receipts/testing';
import { JobQueue } from './job-queue';
import { Printer } from './printer';
import { qrCode } from './qr-code';
import { FakePlatform } from './testing/fake-platform';
import { cut, FakePrinter, TestAgent } from './testing/test-agent';

let platform: FakePlatform;
let printer: FakePrinter;
let agent: TestAgent;

beforeEach(async () => {
  platform = await FakePlatform.start();
  printer = await FakePrinter.start();
  agent = new TestAgent(platform.url, { printer: { host: '127.0.0.1', port: printer.port } });
});
afterEach(async () => {
  await agent.discard();
  platform.close();
  printer.close();
});

const bodies = () => platform.posts.map(({ body }) => body);
const allSent = () => until('all slips are sent', () => agent.agent.status.queue.length === 0);
const printed = (text: string) => until(`${JSON.stringify(text)} on paper`, () => printer.text === text);
const qr = (link = '') => qrCode(`https://r.example/l/${link}`).toString('latin1');
const links = () => platform.posts.map(({ headers }) => headers['service-link'] as string);
const stock = () => readdirSync(path.join(agent.data, 'links')).length;
const fullStock = () => until('the stock is full', () => stock() === 100);

it('passes on every byte in order, including those outside jobs, and posts the slips', async () => {
  await agent.start();
  const drawer = '\x1bp\0\x19\xfa';
  await agent.print(`\x1b@one${cut}${drawer}`);
  await agent.print(`\x1b@two${cut}${drawer}`);
  await printed(`\x1b@one${cut}${drawer}\x1b@two${cut}${drawer}`);
  await allSent();
  expect(bodies()).toEqual([`\x1b@one${cut}`, `\x1b@two${cut}`]);
  await until('the queue is empty', () => readdirSync(path.join(agent.data, 'queue')).length === 0);
});

it('prints commands before a pause immediately, and posts them as part of the following slip', async () => {
  await agent.start();
  const till = agent.connect();
  till.write('\x1bt\x13');
  await printed('\x1bt\x13');
  till.write(`x${cut}`);
  await printed(`\x1bt\x13x${cut}`);
  await allSent();
  expect(bodies()).toEqual([`\x1bt\x13x${cut}`]);
  till.socket.destroy();
});

it('prints while the platform is unavailable', async () => {
  platform.answers = () => ({ status: 503 });
  await agent.start();
  await agent.print(`one${cut}`);
  await printed(`one${cut}`);
  expect(agent.agent.status.queue.length).toBe(1);
});

it('accepts and sends slips while the printer is unavailable, reports this, and prints them later', async () => {
  const { port } = printer;
  printer.close();
  await agent.start();
  expect(await agent.print(`one${cut}`)).toBe(true);
  await allSent();
  await until('the trouble', async () => /Printer.*yellow/.test(await (await agent.fetch('/')).text()));
  // The agent was killed before it could print.
  await agent.stop();
  printer = await FakePrinter.start();
  await agent.start({ printer: { host: '127.0.0.1', port: printer.port } });
  expect(printer.port).not.toBe(port);
  await printed(`one${cut}`);
  await until('the queue is empty', () => readdirSync(path.join(agent.data, 'queue')).length === 0);
});

it('sends, but does not print, a slip that cannot be printed in time, and does not open a drawer late', async () => {
  const { port } = printer;
  printer.close();
  const queue = await JobQueue.open({ folder: agent.data, jobsMax: 10, log: () => {} });
  const slow = new Printer({
    host: '127.0.0.1',
    port,
    queue,
    log: () => {},
    printMsMax: 1_500,
    commandMsMax: 500,
  });
  const job = queue.begin();
  await job.write(Buffer.from('late'));
  const number = await job.commit({ contentType: 'text/plain' }, { isPrinted: true });
  slow.passOn(Buffer.from('drawer'));
  await queue.accepted(number);
  await until('the slip is given up', () => slow.givenUp === 1);
  printer = await FakePrinter.start(port);
  await until('nothing is waiting', () => slow.waiting === 0);
  slow.passOn(Buffer.from('next'));
  await printed('next');
  expect(readdirSync(path.join(agent.data, 'queue'))).toEqual([]);
  await slow.stop();
  queue.close();
});

it('prints a slip once that a till posts again with the same key', async () => {
  await agent.start();
  const headers = { 'content-type': 'application/vnd.escpos', 'idempotency-key': 'sale-1' };
  const post = { method: 'POST', body: `one${cut}`, headers };
  const answers = await Promise.all([agent.fetch('/print', post), agent.fetch('/print', post)]);
  expect(answers.map(({ status }) => status)).toEqual([201, 201]);
  await agent.fetch('/print', post);
  await agent.print(`two${cut}`);
  await printed(`one${cut}two${cut}`);
});

it('does not print data that is not meant for a printer', async () => {
  await agent.start();
  const headers = { 'content-type': 'application/json' };
  await agent.fetch('/print', { method: 'POST', body: '{"a":1}', headers });
  await agent.fetch('/print', {
    method: 'POST',
    body: `x${cut}`,
    headers: { 'content-type': 'application/vnd.escpos' },
  });
  await printed(`x${cut}`);
});

describe('with QR codes', () => {
  beforeEach(() => agent.start({ qr: true }));

  it('prints the code of a link before the cut, and sends the link with that job', async () => {
    await fullStock();
    await agent.print(`one${cut}two${cut}`);
    await allSent();
    expect(bodies()).toEqual([`one${cut}`, `two${cut}`]);
    const [first, second] = links();
    expect(first).not.toBe(second);
    await printed(`one${qr(first)}${cut}two${qr(second)}${cut}`);
    await fullStock();
    const counts = platform.requests
      .filter((request) => request.path === '/receipts/_link')
      .map(({ body }) => JSON.parse(body) as object);
    expect(counts.slice(0, 2)).toMatchObject([
      { count: 100, store_reference: '1' },
      { store_reference: '1' },
    ]);
  });

  it('prints codes while the platform is unavailable, each once, even after a restart', async () => {
    await fullStock();
    platform.answers = () => ({ status: 503 });
    await agent.print(`one${cut}`);
    await until('a slip', () => agent.agent.status.printer?.printed === 1);
    await agent.stop();
    await agent.start({ qr: true });
    await agent.print(`two${cut}`);
    await until('a slip', () => agent.agent.status.printer?.printed === 1);
    expect(stock()).toBe(98);
    platform.answers = () => undefined;
    await allSent();
    const [first, second] = links().slice(-2);
    expect(first).not.toBe(second);
    await printed(`one${qr(first)}${cut}two${qr(second)}${cut}`);
  });

  it.each(['link_taken', 'link_not_found'])('sends a slip without its link after %s', async (code) => {
    await fullStock();
    platform.answers = ({ headers, path: at }) =>
      at === '/pos/receipts' && headers['service-link'] !== undefined
        ? { status: 422, body: { code } }
        : undefined;
    await agent.print(`one${cut}`);
    await allSent();
    const [first, second] = platform.posts;
    expect(second?.headers['service-link']).toBeUndefined();
    expect(second?.headers['idempotency-key']).not.toBe(first?.headers['idempotency-key']);
    expect(agent.agent.status.queue.refused.size).toBe(0);
  });

  it('prints the slip without a code if there is no link', async () => {
    await agent.stop();
    platform.answers = ({ path: at }) => (at === '/receipts/_link' ? { status: 403 } : undefined);
    const other = new TestAgent(platform.url, {
      qr: true,
      printer: { host: '127.0.0.1', port: printer.port },
    });
    await other.start();
    try {
      await other.print(`one${cut}`);
      await printed(`one${cut}`);
      expect(await (await other.fetch('/')).text()).toContain('0 of 100 links in stock. 403');
    } finally {
      await other.discard();
    }
  });
});

it('drops expired links, according to the platform’s clock', async () => {
  platform.aheadMs = 40 * 86_400_000;
  platform.answers = ({ path: at }) =>
    at === '/receipts/_link'
      ? {
          status: 201,
          body: {
            links: ['old', 'new'].map((link) => ({
              link,
              webview: { href: `/l/${link}` },
              expires_timestamp: new Date(
                Date.now() + platform.aheadMs + (link === 'old' ? -3_600_000 : 86_400_000),
              ).toISOString(),
            })),
          },
        }
      : undefined;
  await agent.start({ qr: true });
  // The expired link is dropped when the stock is filled again, so the two are there together from time to time.
  await until('both links', () => agent.agent.status.links?.size === 2);
  await agent.print(`one${cut}`);
  await printed(`one${qrCode(`${platform.url}/l/new`).toString('latin1')}${cut}`);
});
