import { Binary } from 'mongodb';
import type { ConversionOutcome } from '@receipts/contracts';
import { newDocument } from '../storage/packet-document';
import type { StoredPacket } from '../storage/packet-outcomes';
import { newPacketOf } from '../testing/samples';
import { outcomeOf } from '../testing/world';
import { StoredConversions } from './stored-conversions';

const position = { sequence: 's', number: 1 };
const packetOf = (size = 1) => {
  const packet = newPacketOf();
  const document = newDocument(packet, undefined, new Date(0), 1);
  return {
    packet,
    stored: { ...document, ...position, size, raw: new Binary(packet.bytes) } as StoredPacket,
  };
};

/** Transform replies with the given outcome. Records the calls. */
function world(reply: () => Promise<ConversionOutcome | undefined>, save = (stored: object) => stored) {
  const calls: string[] = [];
  const conversions = new StoredConversions({
    arrivals: { outcomeOf: reply },
    packetOutcomes: {
      save: (stored: StoredPacket, fields: object) =>
        Promise.resolve(save({ ...stored, ...fields, number: 2 })),
    },
    packetArrivals: {
      enqueue: ([{ number, packet }]: [{ number: number; packet: { status: string } }]) =>
        calls.push(`published ${packet.status} at ${number}`),
    },
    packetRelay: { enqueue: ([{ items }]: [{ items: unknown[] }]) => calls.push(`relayed ${items.length}`) },
    conversionRequests: { add: () => calls.push('requested'), idle: () => Promise.resolve() },
    log: { warn: (text: string) => calls.push(text) },
    now: () => new Date(0),
  } as never);
  return { calls, conversions };
}

test.each([
  ['converted', ['published converted at 2']],
  ['crashed', ['published failed at 2', 'relayed 2']],
] as const)('saves the outcome %s, and publishes the events', async (outcome, expected) => {
  const { packet, stored } = packetOf();
  const { calls, conversions } = world(() => Promise.resolve(outcomeOf(packet.id, outcome)));
  conversions.add(packet, stored);
  await conversions.idle();
  expect(calls).toEqual(expected);
});

const requested = ['published accepted at 1', 'requested'];

test('requests the conversion with a message if transform does not reply', async () => {
  const { packet, stored } = packetOf();
  const { calls, conversions } = world(() => Promise.resolve(undefined));
  conversions.add(packet, stored);
  await conversions.idle();
  expect(calls).toEqual(requested);
});

test('converts the first packets at once, and those that follow them at the end of the window', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  let started = 0;
  const { conversions } = world(() => {
    started++;
    return Promise.resolve(undefined);
  });
  const add = async () => {
    const { packet, stored } = packetOf();
    conversions.add(packet, stored);
    conversions.add(packet, stored);
    await turn();
  };
  await add();
  await add();
  expect(started).toBe(2);
  jest.runAllTimers();
  expect(started).toBe(4);
  jest.useRealTimers();
});

test('requests the conversion with a message if another process has changed the packet', async () => {
  const { packet, stored } = packetOf();
  const reply = () => Promise.resolve(outcomeOf(packet.id, 'converted'));
  const { calls, conversions } = world(reply, () => undefined as never);
  conversions.add(packet, stored);
  await conversions.idle();
  expect(calls).toEqual(requested);
});

test('requests the conversion of packets over the limit with a message', async () => {
  const { calls, conversions } = world(() => new Promise(() => {}));
  const [first, second] = [packetOf(20 * 1024 * 1024), packetOf(20 * 1024 * 1024)];
  conversions.add(first.packet, first.stored);
  expect(calls).toEqual([]);
  conversions.add(second.packet, second.stored);
  expect(calls).toEqual(requested);
});

test('leaves a packet to the sweep if its outcome cannot be saved', async () => {
  const { packet, stored } = packetOf();
  const { calls, conversions } = world(
    () => Promise.resolve(outcomeOf(packet.id, 'converted')),
    () => {
      throw new Error('database unavailable');
    },
  );
  conversions.add(packet, stored);
  await conversions.idle();
  expect(calls).toEqual(['the outcome of a packet could not be saved']);
});
