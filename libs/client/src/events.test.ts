import { createReceiptsClient } from './client';
import { followEvents } from './events';

/** A feed with these pages as successive responses, and the requests to it. */
function feed(...pages: { events: object[]; next: string }[]) {
  const asked: string[] = [];
  const client = createReceiptsClient({
    baseUrl: 'https://receipts.example',
    send: (request) => {
      asked.push(new URL(request.url).search);
      const { events, next } = pages.shift() ?? { events: [], next: 'end' };
      return Promise.resolve(
        Response.json({
          events,
          _links: { next: { href: `/events?after=${next}&types=receipt.*&wait=30` } },
        }),
      );
    },
  });
  return { client, asked };
}

it('starts at the current position, reports it, and continues page by page', async () => {
  const { client, asked } = feed(
    { events: [], next: '1' },
    { events: [], next: '1' },
    { events: [{ id: 'a' }], next: '2' },
    { events: [{ id: 'b' }], next: '3' },
  );
  const seen: unknown[] = [];
  for await (const { events, cursor } of followEvents(client, { types: ['receipt.*', 'store.*'] })) {
    seen.push([events.map(({ id }) => id), cursor]);
    if (seen.length === 3) break;
  }
  expect(seen).toEqual([
    [[], 'after=1&types=receipt.*'],
    [['a'], 'after=2&types=receipt.*'],
    [['b'], 'after=3&types=receipt.*'],
  ]);
  expect(asked).toEqual([
    '?types=receipt.*,store.*',
    '?after=1&types=receipt.*&wait=30',
    '?after=1&types=receipt.*&wait=30',
    '?after=2&types=receipt.*&wait=30',
  ]);
});

it('continues from a stored cursor', async () => {
  const { client, asked } = feed({ events: [{ id: 'c' }], next: '4' });
  for await (const { events } of followEvents(client, {
    cursor: 'after=3&types=receipt.*',
    waitSeconds: 0,
  })) {
    expect(events).toEqual([{ id: 'c' }]);
    break;
  }
  expect(asked).toEqual(['?after=3&types=receipt.*&wait=0']);
});
