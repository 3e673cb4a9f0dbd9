import { newId, ServiceError, unavailable, type CloudEvent, type EventRecord } from '@receipts/kernel';
import { callOf, createdEvent, receiptOf, retailerOf } from '../../testing/samples';
import { startWorld, type World } from '../../testing/world';

let world: World;
let retailer: string;

beforeAll(async () => {
  world = await startWorld();
});
beforeEach(() => {
  retailer = `r-${newId()}`;
  world.retailers.set(retailer, retailerOf(retailer));
  world.now = new Date();
  world.askFault = undefined;
});
afterAll(() => world.close());

/** The events of one receipt, as published by its owner. */
function happen(versions: number, change: Partial<CloudEvent> = {}): CloudEvent[] {
  const created = { ...createdEvent(retailer, receiptOf()), time: world.now.toISOString(), ...change };
  const events = Array.from({ length: versions }, (_, n) =>
    n === 0 ? created : { ...created, id: newId(), type: 'receipt.updated', sequence: n + 1 },
  );
  const order = `${retailer}|receipt-store`;
  world.published.set(order, [...(world.published.get(order) ?? []), ...events]);
  return events;
}
const feed = async (after?: string) => {
  const query = { ...(after !== undefined && { after }) } as never;
  const { body, meta } = await world.ask('listEvents', { query }, callOf(retailer));
  return { events: body.events as EventRecord[], after: (meta as { after: string }).after };
};
const idsOf = (events: readonly { readonly id: string }[]) => events.map(({ id }) => id);
const read = async (after: string) => idsOf((await feed(after)).events);

test('publishes an event after the earlier events of its subject that it overtook, and publishes each event once', async () => {
  const { after } = await feed();
  const events = happen(3);
  const [created, updated, last] = events as [CloudEvent, CloudEvent, CloudEvent];
  await world.deliver(last);
  expect(await read(after)).toEqual(idsOf(events));
  await world.deliver(updated);
  await world.deliver(created);
  expect(await read(after)).toEqual(idsOf(events));
});

test('sorts the events of one batch', async () => {
  const { after } = await feed();
  const events = happen(3);
  await world.deliver(...events.toReversed());
  expect(await read(after)).toEqual(idsOf(events));
});

test('holds back an event while its owner cannot return earlier events, without delaying other subjects', async () => {
  const { after } = await feed();
  const [first, second] = happen(2) as [CloudEvent, CloudEvent];
  const [other] = happen(1) as [CloudEvent];
  world.askFault = new ServiceError(unavailable);
  expect(await world.deliver(second, other)).toEqual([expect.objectContaining({ status: 503 }), undefined]);
  world.askFault = undefined;
  expect(await world.deliver(second)).toEqual([undefined]);
  expect(await read(after)).toEqual(idsOf([other, first, second]));
});

test('does not hold back an event if the recording has no earlier events', async () => {
  const early = new Date(world.now.getTime() - 60_000).toISOString();
  const [, known] = happen(2, { time: early }) as [CloudEvent, CloudEvent];
  const { after } = await feed();
  const change = { ...known, time: world.now.toISOString() };
  world.published.set(`${retailer}|receipt-store`, [change]);
  await world.deliver(change);
  expect(await read(after)).toEqual([change.id]);
});

test('keeps each subject in sequence without gaps, even if events are delayed, repeated or shuffled', async () => {
  // A fixed pseudo-random sequence makes failures reproducible.
  let state = 11;
  const chance = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  const { after } = await feed();
  const events = Array.from({ length: 12 }, () => happen(4)).flat();
  const late = events.map((event) => ({ event, at: Math.floor(chance() * 6) }));
  for (let round = 0; round < 7; round++) {
    const due = late.filter(({ at }) => at === round || chance() < 0.1).map(({ event }) => event);
    const halves = [due.filter((_event, n) => n % 2 === 0), due.filter((_event, n) => n % 2 === 1)];
    // Two consumers handle their messages at the same time.
    await Promise.all(halves.map((half) => world.deliver(...half.sort(() => chance() - 0.5))));
  }
  const found = (await feed(after)).events;
  expect(idsOf(found).sort()).toEqual(idsOf(events).sort());
  const seen = new Map<string, number>();
  for (const { subject, sequence } of found) {
    expect(sequence).toBe((seen.get(subject) ?? 0) + 1);
    seen.set(subject, sequence);
  }
});
