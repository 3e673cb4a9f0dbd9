import { createReceiptsClient } from './client';
import { allReceipts, newReceipts, currentCursor } from './receipts';

/** A list of five receipts in pages of two, linked as by the service. */
const pages: Readonly<Record<string, object>> = {
  'count=2': { receipts: ['e', 'd'], next: 'd', newer: 'e' },
  'count=2&next=d': { receipts: ['c', 'b'], next: 'b', prev: 'c' },
  'count=2&next=b': { receipts: ['a'], prev: 'a' },
  'count=2&newer=a': { receipts: ['c', 'b'], prev: 'c', newer: 'c' },
  'count=2&newer=c': { receipts: ['e', 'd'], newer: 'e' },
  'count=2&newer=e': { receipts: [], newer: 'e' },
};

const client = createReceiptsClient({
  baseUrl: 'https://receipts.example',
  send: (request) => {
    const { search } = new URL(request.url);
    const { receipts, ...links } = pages[search.slice(1)] as { receipts: string[] };
    const hrefs = Object.entries(links).map(([name, id]) => [
      name,
      { href: `/receipts?count=2&${name}=${String(id)}` },
    ]);
    expect(request.headers.get('service-api-version')).toBe('2');
    return Promise.resolve(
      Response.json({ receipts: receipts.map((id) => ({ id })), _links: Object.fromEntries(hrefs) }),
    );
  },
});

it('reads the receipts of all pages, newest first', async () => {
  const ids: string[] = [];
  for await (const { id } of allReceipts(client, { count: 2 })) ids.push(id);
  expect(ids).toEqual(['e', 'd', 'c', 'b', 'a']);
});

it('reads new receipts oldest first, each page with the cursor to continue from', async () => {
  const seen: unknown[] = [];
  for await (const { receipts, cursor } of newReceipts(client, '/receipts?count=2&newer=a'))
    seen.push([receipts.map(({ id }) => id), cursor]);
  expect(seen).toEqual([
    [['b', 'c'], '/receipts?count=2&newer=c'],
    [['d', 'e'], '/receipts?count=2&newer=e'],
  ]);
});

it('finds nothing new if nothing has arrived since the cursor', async () => {
  const cursor = await currentCursor(client, { count: 2 });
  expect(cursor).toBe('/receipts?count=2&newer=e');
  for await (const page of newReceipts(client, cursor)) throw new Error(JSON.stringify(page));
});
