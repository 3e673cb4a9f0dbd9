import { idAllotter, type Call } from '@receipts/kernel';
import type { Packet } from '../domain/packet-state';
import { findPacket } from './find-packet';
import type { Dependencies } from './dependencies';

const allotter = idAllotter('a secret of sixteen or more');
const callOf = (): Call => ({
  id: 'c',
  requestId: 'r',
  retailer: 'acme',
  principal: { kind: 'client', id: 'bearer:1' },
  deadline: Date.now() + 600_000,
  at: 0,
});

/** Packets that are found only from the n-th query on. */
function world(appearsAtLook: number) {
  let looks = 0;
  const packets = {
    find: (_: string, id: string) =>
      Promise.resolve(++looks >= appearsAtLook ? ({ id } as Packet) : undefined),
  };
  const deps = { packets, allotter, now: () => new Date() } as unknown as Dependencies;
  return { deps, looks: () => looks };
}

test('waits for a packet that is being written', async () => {
  const { deps } = world(4);
  const id = allotter.allot('acme');
  expect(await findPacket(deps, id, callOf())).toEqual({ id });
});

test('does not wait for an id that was not promised, belongs to another retailer, or is old', async () => {
  for (const id of [
    'f'.repeat(24),
    'x',
    allotter.allot('other'),
    allotter.allot('acme', Date.now() - 120_000),
  ]) {
    const { deps, looks } = world(2);
    expect(await findPacket(deps, id, callOf())).toBeUndefined();
    expect(looks()).toBe(1);
  }
});

test('stops waiting after a while', async () => {
  const { deps } = world(Infinity);
  expect(await findPacket(deps, allotter.allot('acme'), callOf())).toBeUndefined();
});

test('waits for the outcome of a new packet, if asked to', async () => {
  const states = (receivedAt: Date) => {
    let looks = 0;
    const find = (): Promise<Partial<Packet>> =>
      Promise.resolve({ status: ++looks < 3 ? 'accepted' : 'converted', receivedAt });
    return { packets: { find }, allotter, now: () => new Date() } as unknown as Dependencies;
  };
  const statusOf = async (receivedAt: Date, options?: { outcome: boolean }) =>
    (await findPacket(states(receivedAt), allotter.allot('acme'), callOf(), options))?.status;
  expect(await statusOf(new Date())).toBe('accepted');
  expect(await statusOf(new Date(), { outcome: true })).toBe('converted');
  expect(await statusOf(new Date(Date.now() - 60_000), { outcome: true })).toBe('accepted');
});
