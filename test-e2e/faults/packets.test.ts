import { readFileSync } from 'node:fs';
import type { Platform } from '@receipts/local';
import { until } from '@receipts/testing';
import { newRetailer, type TestRetailer } from '../harness/client';
import type { HttpResponse } from '../harness/http';
import { discard, ownPlatform } from '../harness/own-platform';
import { uniqueId } from '../harness/receipts';
import { isBrokenConnection, readAll } from '../harness/traffic';

const tills = 6;
const packetsBetween = 30;
const retryPauseMs = 100;
/** Without a pause, tills would leave no CPU time for restarting processes. */
const betweenPacketsMs = 100;

const mapping = {
  id: 'vendor-json',
  match: { content_type: ['application/json'], source_id: ['*'], store_reference: ['*'], till_id: ['*'] },
  decode: { type: 'json' },
  transform: {
    language: 'jsonata',
    expression: `{
      "transaction_id": doc.number,
      "localtime": "2026-03-14T12:30:00",
      "store_reference": "1",
      "total": doc.sum,
      "items": [{ "name": "Cufflinks", "quantity": 1, "total": doc.sum }]
    }`,
  },
};

let platform: Platform;
let retailer: TestRetailer;
/** The numbers of packets that were accepted with 202, by the receipt id of the response. */
const promised = new Map<string, string>();
let running = true;

/** False if the process had already ended. */
function isKilled(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    return process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}
const pidOf = (name: 'ingest' | 'transform') => platform.instances(name)[0]?.pid;
const sandboxes = () => {
  const transform = pidOf('transform');
  const children = readFileSync(`/proc/${transform}/task/${transform}/children`, 'utf8');
  return children.split(' ').filter(Boolean).map(Number);
};

const post = (number: string, headers: Record<string, string>) =>
  retailer.api.call('/pos/receipts', {
    method: 'POST',
    body: JSON.stringify({ number, sum: 7.5 }),
    headers: { 'content-type': 'application/json', ...headers },
  });

/** Undefined if the outcome is unknown. */
async function tryPost(number: string, headers: Record<string, string>): Promise<HttpResponse | undefined> {
  try {
    const answer = await post(number, headers);
    if (answer.status !== 202 && answer.status !== 503)
      throw new Error(`unexpected ${answer.status}: ${answer.bytes.toString()}`);
    return answer.status === 202 ? answer : undefined;
  } catch (error) {
    if (!isBrokenConnection(error) && !/no answer within/.test(String(error))) throw error;
    return undefined;
  }
}

/**
 * A till that retries packets with an unknown outcome under an idempotency key. A till without keys continues with the
 * next packet instead.
 */
async function till(hasKeys: boolean): Promise<void> {
  while (running) {
    const number = uniqueId(hasKeys ? 'keyed' : 'plain');
    const headers = hasKeys ? { 'idempotency-key': number } : {};
    let answer = await tryPost(number, headers);
    while (!answer && hasKeys) {
      await new Promise((resolve) => setTimeout(resolve, retryPauseMs));
      answer = await tryPost(number, headers);
    }
    if (answer) promised.set((answer.headers.location as string).slice('/receipts/'.length), number);
    await new Promise((resolve) => setTimeout(resolve, betweenPacketsMs));
  }
}

const morePackets = async () => {
  const goal = promised.size + packetsBetween;
  await until(`${packetsBetween} more packets`, () => promised.size >= goal);
};

const packetsThat = async (status: string) => {
  const answer = await retailer.api.get('/pos/packets', { status, count: '20' });
  if (answer.status !== 200) throw new Error(`the list returned ${answer.status}`);
  return answer.body.packets as { id: string; reason: string | null }[];
};

/** The types of the published events of each packet, by packet id. */
async function publishedSince(start: string): Promise<{ published: Map<string, Set<string>>; next: string }> {
  const published = new Map<string, Set<string>>();
  for (let next = start; ;) {
    const { status, body } = await retailer.api.get(next);
    if (status !== 200) throw new Error(`the feed returned ${status}`);
    const events = body.events as { type: string; subject: string }[];
    for (const { type, subject } of events)
      published.set(subject, (published.get(subject) ?? new Set()).add(type));
    next = body._links.next.href as string;
    if (events.length === 0) return { published, next };
  }
}

beforeAll(async () => {
  platform = await ownPlatform({ restart: true, env: { CONVERSION_RETRY_MS: '1000' } });
  retailer = await newRetailer(platform.baseUrl, platform.secrets.operatorToken);
  await retailer.api.post('/stores', { reference: 1, name: 'One', country: 'FRA' });
  expect((await retailer.api.post('/pos/mappings', mapping)).status).toBe(201);
  expect((await retailer.api.post(`/pos/mappings/${mapping.id}/_activate`, {})).status).toBe(200);
});
afterAll(async () => {
  running = false;
  await discard(platform);
});

it('no matter what is killed under load, each accepted packet becomes exactly one receipt and its event is published', async () => {
  const feed = await retailer.api.get('/events', { types: 'pos_receipt.*', count: '100' });
  expect(feed.status).toBe(200);
  const traffic = Promise.all(Array.from({ length: tills }, (_, index) => till(index % 2 === 0)));
  traffic.catch(() => (running = false));
  await morePackets();
  const victims: [string, () => number | undefined][] = [
    ['ingest', () => pidOf('ingest')],
    ['a sandbox', () => sandboxes()[0]],
    ['transform', () => pidOf('transform')],
    ['the store', () => platform.database.pid],
    ['the broker', () => platform.broker.pid],
  ];
  for (const [name, find] of victims) {
    await until(`${name} to be killed`, () => isKilled(find()));
    await morePackets();
  }
  running = false;
  await traffic;

  const receipts = await until('all receipts', async () => {
    const all = await readAll(retailer.api);
    const ids = new Set(all.map(({ id }) => id));
    return [...promised.keys()].every((id) => ids.has(id)) && all;
  });
  await until('the last conversion', async () => (await packetsThat('accepted')).length === 0);
  expect(await packetsThat('failed')).toEqual([]);
  const numbers = new Map(receipts.map(({ id, transaction_id: number }) => [id, number]));
  for (const [id, number] of promised) expect([id, numbers.get(id)]).toEqual([id, number]);
  expect(new Set(numbers.values()).size).toBe(receipts.length);

  let next = feed.body._links.next.href as string;
  const missing = new Set([...promised.keys()].flatMap((id) => [`accepted ${id}`, `converted ${id}`]));
  await until('the events of all packets', async () => {
    const read = await publishedSince(next);
    next = read.next;
    for (const [id, types] of read.published) {
      for (const type of types) missing.delete(`${type.slice('pos_receipt.'.length)} ${id}`);
    }
    return missing.size === 0;
  });
});
