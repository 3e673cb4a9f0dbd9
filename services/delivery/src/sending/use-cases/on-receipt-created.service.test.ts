import { newId, ServiceError } from '@receipts/kernel';
import { callOf, recordedEvent, receiptOf, retailerOf } from '../../testing/samples';
import { startWorld, type World } from '../../testing/world';

let world: World;
let retailer: string;

beforeAll(async () => {
  world = await startWorld();
});
beforeEach(() => {
  retailer = `r-${newId()}`;
  world.retailers.set(retailer, retailerOf(retailer));
  world.mails.length = 0;
  world.askFault = undefined;
});
afterAll(() => world.close());

const published = () => world.events.filter((event) => event.retailer === retailer);

function arrival(change: Parameters<typeof receiptOf>[0] = {}) {
  const receipt = receiptOf({
    identifier: `${newId()}@example.com`,
    properties: { email_settings: { send: true } },
    ...change,
  });
  world.receipts.set(receipt.id, { retailer, receipt });
  return recordedEvent(retailer, receipt);
}
const deliveries = async (id: string) =>
  (await world.ask('listDeliveries', { params: { id } }, callOf(retailer))).body.deliveries;

it('sends one e-mail if the same event arrives twice, in sequence or concurrently', async () => {
  const event = arrival();
  await Promise.all([world.deliver(event), world.deliver(event, event)]);
  await world.deliver(event);
  await world.until(
    'the receipt was sent',
    async () => (await deliveries(event.subject))[0]?.status === 'sent',
  );
  await world.deliver(event);
  expect(await deliveries(event.subject)).toHaveLength(1);
  expect(world.mails).toHaveLength(1);
  expect(published().map(({ type, causationid }) => [type, causationid])[0]).toEqual([
    'delivery.requested',
    event.id,
  ]);
});

it('suppresses a receipt because of an opt-out or a block, with an event', async () => {
  const identifier = newId();
  world.identifiers.set(identifier, { email: 'jane@example.com', 'opt-out': ['receipts'] });
  const optedOut = arrival({ identifier });
  const blocked = arrival({ properties: { email_settings: { send: true, block: true } } });
  await world.deliver(optedOut, blocked);
  expect(await deliveries(optedOut.subject)).toMatchObject([{ status: 'suppressed', reason: 'opted_out' }]);
  expect(await deliveries(blocked.subject)).toMatchObject([{ status: 'suppressed', reason: 'blocked' }]);
  await world.until('both were published', () => published().length === 2);
  expect(published().map(({ type }) => type)).toEqual(['delivery.suppressed', 'delivery.suppressed']);
  expect(world.mails).toEqual([]);
});

it('sends nothing if sending is not requested, or there is no address or channel', async () => {
  const { channels } = retailerOf(retailer).settings;
  const unwanted = arrival({ properties: {} });
  const nobody = arrival({ identifier: null });
  await world.deliver(unwanted, nobody);
  expect([await deliveries(unwanted.subject), await deliveries(nobody.subject)]).toEqual([[], []]);
  world.asked.length = 0;
  await world.deliver(arrival({ properties: {} }));
  // Nothing is requested for unwanted events.
  expect(world.asked).toEqual([]);

  retailer = `r-${newId()}`;
  const email = { ...channels.email, enabled: false };
  world.retailers.set(retailer, retailerOf(retailer, { auto_send: true, channels: { ...channels, email } }));
  const closed = arrival();
  await world.deliver(closed);
  expect(await deliveries(closed.subject)).toEqual([]);
});

it('does not send a receipt that was voided before its event arrived', async () => {
  const voided = arrival({
    voided: { timestamp: '2026-05-17T10:00:00+00:00', reason: null, transaction_id: null },
  });
  await world.deliver(voided);
  expect(await deliveries(voided.subject)).toEqual([]);
});

it('sends only to the consumer of a restricted credential, regardless of the receipt', async () => {
  const own = `${newId()}@example.com`;
  const posted = (email: string) => {
    const event = arrival({ identifier: own, properties: { email, email_settings: { send: true } } });
    return { ...event, data: { ...(event.data as object), confined_to: [own] } };
  };
  const [toOthers, toOwn] = [posted('somebody@else.example'), posted(own.toUpperCase())];
  await world.deliver(toOthers, toOwn);
  for (const { subject } of [toOthers, toOwn]) {
    await world.until('the receipt was sent', async () => (await deliveries(subject))[0]?.status === 'sent');
  }
  expect(world.mails.map(({ envelope }) => envelope.to.toLowerCase())).toEqual([own, own]);
});

it('reports a failed event individually, and handles it later', async () => {
  const [event, other] = [arrival(), arrival({ properties: {} })];
  await world.deliver(other);
  world.askFault = new ServiceError({ status: 503, code: 'unavailable', description: 'away' });
  const outcomes = await world.deliver(event, other);
  expect(outcomes.map((outcome) => outcome instanceof Error)).toEqual([true, false]);
  world.askFault = undefined;
  expect(await world.deliver(event)).toEqual([undefined]);
  await world.until(
    'the receipt was sent',
    async () => (await deliveries(event.subject))[0]?.status === 'sent',
  );
});
