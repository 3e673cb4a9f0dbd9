import { newId, timestampOf } from '@receipts/kernel';
import { until } from '@receipts/testing';
import { refusalOf, worldOfTests } from '../testing/world';

type Pairs = [name: string, value: string][];

const world = worldOfTests();
const hourMs = 60 * 60_000;

const contacts = async (since = new Date(Date.now() - hourMs), retailer = world.retailer) =>
  (await world.ask('findTillContacts', { body: { since: timestampOf(since) } }, { retailer })).body.contacts;

const from = (till: string): Pairs => [
  ['store_reference', '1'],
  ['till_uuid', till],
];
const agentHeaders = (version: string, waiting: string, time: string): Pairs => [
  ['service-agent-version', version],
  ['service-agent-waiting', waiting],
  ['service-agent-time', time],
];
const saved = (version: string) =>
  until(`agent ${version}`, async () => (await contacts()).some(({ agent }) => agent?.version === version));

test('knows what a till agent last said about itself', async () => {
  const at = Date.now();
  await world.post({
    query: from('a'),
    headers: agentHeaders('0.9', '7', timestampOf(new Date(at))),
    call: { at },
  });
  const later = at + 2_000;
  const clock = new Date(later - 1_500).toISOString();
  await world.post({ query: from('a'), headers: agentHeaders('1.0', '0', clock), call: { at: later } });
  // A request that was sent earlier, but handled later, changes nothing.
  await world.post({ query: from('a'), headers: agentHeaders('0.8', '9', clock), call: { at } });
  await saved('1.0');
  expect(await contacts()).toEqual([
    {
      store_reference: '1',
      till_uuid: 'a',
      last_received: timestampOf(new Date(later)),
      failed: [],
      agent: {
        version: '1.0',
        waiting: 0,
        clock_difference_s: -1.5,
      },
    },
  ]);
  await world.post({ query: from('a'), headers: agentHeaders('0.7', '9', clock), call: { at } });
  await world.post({ query: from('b'), headers: agentHeaders('2.0', '1', clock) });
  await saved('2.0');
  expect((await contacts()).map(({ agent }) => agent?.version).sort()).toEqual(['1.0', '2.0']);
  expect(await contacts(undefined, newId())).toEqual([]);
});

test('counts the failed packets of each till since a time, as long as they have failed', async () => {
  const id = await world.post({ query: from('a'), outcome: 'timeout' });
  await world.post({ query: from('a'), outcome: 'no_mapping' });
  await world.post({ query: [['till_uuid', 'b']], outcome: 'timeout' });
  await world.post({ query: from('c') });
  await world.post({ outcome: 'timeout' });
  const counts = async (since?: Date) =>
    (await contacts(since)).map((one) => [one.till_uuid, one.store_reference, one.failed.length]).sort();
  expect(await counts()).toEqual([
    ['a', '1', 2],
    ['b', null, 1],
  ]);
  await world.ask('reprocessPacket', { params: { id } });
  await world.finish(id, 'converted', { attempt: 2 });
  expect(await counts()).toEqual([
    ['a', '1', 1],
    ['b', null, 1],
  ]);
  expect(await counts(new Date(Date.now() + hourMs))).toEqual([]);
});

test('refuses headers of an agent that say nothing', async () => {
  const accepted = world.accept({ query: from('a'), headers: agentHeaders(' ', '-1', '14:03') });
  expect(await refusalOf(accepted)).toBe(
    '400 invalid_parameter /service-agent-version /service-agent-waiting /service-agent-time',
  );
});
