import { newId } from '@receipts/kernel';
import type { Database } from '@receipts/storage';
import { startDatabase } from '@receipts/testing';
import { createdEvent, receiptOf } from '../../testing/samples';
import { EventLog, eventLogDeclaration, type LoggedEvent } from './event-log';

let database: Database;
let logs: EventLog[];

beforeAll(async () => {
  database = await startDatabase('delivery');
  const collection = await database.collection<LoggedEvent>(eventLogDeclaration);
  logs = [0, 1, 2].map(() => new EventLog(collection));
});
afterAll(() => database.close());

const signal = () => AbortSignal.timeout(60_000);
const log = () => logs[0] as EventLog;
const events = (retailer: string, count: number) =>
  Array.from({ length: count }, () => createdEvent(retailer, receiptOf()));

it('leaves no gaps with concurrent writers, and a reader neither misses nor repeats events', async () => {
  const retailer = newId();
  const all = Array.from({ length: 24 }, () => events(retailer, 5));
  const seen: string[] = [];
  let isOver = false;
  const follow = async () => {
    for (let after = 0; ;) {
      const over = isOver;
      const { position: upTo } = await log().last(retailer, signal());
      const page = await log().between(retailer, after, upTo, { count: 7 }, signal());
      seen.push(...page.map(({ _id }) => _id));
      after = page.at(-1)?.position ?? after;
      if (over && page.length === 0) return;
    }
  };
  const following = follow();
  // Each batch arrives twice, at different writers, and overlaps with another batch.
  await Promise.all(
    logs.map(async (writer, w) => {
      for (const [n, batch] of [...all, ...all].entries()) {
        if (n % logs.length === w) await writer.append(retailer, [...batch, ...(all[n % 7] ?? [])], signal());
      }
    }),
  );
  isOver = true;
  await following;
  const ids = all.flat().map(({ id }) => id);
  expect([...seen].sort()).toEqual([...ids].sort());
  expect((await log().last(retailer, signal())).position).toBe(ids.length);
  expect(await log().firstPosition(retailer, signal())).toBe(1);
});

it('deletes old events, and continues numbering from the newest', async () => {
  const retailer = newId();
  const [one, two, three] = events(retailer, 3).map((event, n) => ({
    ...event,
    time: `2026-01-0${n + 1}T00:00:00Z`,
  }));
  await log().append(retailer, [one, two] as never, signal());
  expect(await log().trim(retailer, new Date('2026-01-02T00:00:00Z'), signal())).toBe(1);
  expect(await log().trim(retailer, new Date('2027-01-02T00:00:00Z'), signal())).toBe(0);
  await log().append(retailer, [three] as never, signal());
  expect([
    await log().firstPosition(retailer, signal()),
    await log().lastPosition(retailer, signal()),
  ]).toEqual([2, 3]);
  expect(await log().nextRetailer('', signal())).toBeDefined();
});

it("does not find another retailer's events", async () => {
  const [mine, other] = [newId(), newId()];
  const [event] = events(mine, 1);
  await log().append(mine, [event] as never, signal());
  expect(await log().find(mine, String(event?.id), signal())).toEqual(event);
  expect(await log().find(other, String(event?.id), signal())).toBeUndefined();
  expect(await log().between(other, 0, 10, { count: 10 }, signal())).toEqual([]);
});
