import { listFailedPackets as contract, type FailureReason } from '@receipts/contracts';
import { check, invalidParameter, newId } from '@receipts/kernel';
import type { Failure } from '../domain/failure-groups';
import { callOf, refusalOf, worldOfTests } from '../testing/world';
import { listFailedPackets } from './list-failed-packets';
import type { Dependencies } from './dependencies';

const world = worldOfTests();

interface Query {
  readonly retailer?: string;
  readonly reason?: FailureReason;
  readonly count?: number;
}

const operator = { retailer: '', principal: { kind: 'operator', id: 'operator' } } as const;
const list = async (query: Query) => (await world.ask('listFailedPackets', { query }, operator)).body;
const fail = (outcome: FailureReason, mapping = 'm') => world.post({ outcome, mapping });

test('groups failures by reason and mapping, largest group first, and shows the newest', async () => {
  const { retailer } = world;
  const late = [await fail('timeout'), await fail('timeout'), await fail('timeout', 'other')];
  await world.post();
  const { groups, is_complete, packets } = await list({ retailer });
  const [first, second] = await Promise.all(late.map((id) => world.packet(id)));
  expect(groups).toEqual([
    {
      retailer,
      reason: 'timeout',
      mapping: 'm',
      packets: 2,
      newest_packet: late[1],
      oldest_timestamp: first?.received_timestamp,
      newest_timestamp: second?.received_timestamp,
    },
    expect.objectContaining({ mapping: 'other', packets: 1, newest_packet: late[2] }),
  ]);
  expect(is_complete).toBe(true);
  expect(packets.map(({ id }) => id)).toEqual([...late].reverse());
  expect(packets[2]).toEqual({ ...first, retailer });
});

test('covers all retailers, one retailer, or one reason', async () => {
  const own = await fail('too_large');
  const other = newId();
  const others = await world.post({ outcome: 'too_large', call: { retailer: other } });
  await fail('no_mapping');
  const ids = async (query: Query) => (await list(query)).packets.map(({ id }) => id);
  expect(await ids({ reason: 'too_large' })).toEqual([others, own]);
  expect(await ids({ retailer: other })).toEqual([others]);
  expect(await ids({ retailer: world.retailer, reason: 'too_large' })).toEqual([own]);
  expect(await ids({ retailer: newId() })).toEqual([]);
});

test('excludes packets that are being or have been converted again', async () => {
  const { retailer } = world;
  const [id] = [await fail('crashed'), await fail('timeout')];
  await world.ask('reprocessPacket', { params: { id } });
  expect((await list({ retailer })).groups).toMatchObject([{ reason: 'timeout' }]);
  await world.finish(id, 'converted', { attempt: 2 });
  expect((await list({ retailer })).packets).toHaveLength(1);
});

test('shows the requested number of packets in full, and counts all of them', async () => {
  for (let n = 0; n < 3; n++) await fail('timeout');
  const { groups, packets } = await list({ retailer: world.retailer, count: 2 });
  expect(groups).toMatchObject([{ packets: 3 }]);
  expect(packets).toHaveLength(2);
});

test('reads 10,000 packets, and reports whether there are more', async () => {
  const queryOf: number[] = [];
  const failure: Failure = {
    id: 'a',
    retailer: 'acme',
    reason: 'timeout',
    mapping: null,
    receivedAt: new Date(0),
  };
  const shownOf = async (there: number) => {
    const failed = {
      list: async (_: unknown, countMax: number) => Array<Failure>(Math.min(there, countMax)).fill(failure),
      newest: async (_: unknown, count: number) => (queryOf.push(count), []),
    } as unknown as Dependencies['failed'];
    const { body } = await listFailedPackets({ failed })({ query: {} } as never, callOf(''));
    const { groups, is_complete } = body as { groups: { packets: number }[]; is_complete: boolean };
    return [groups[0]?.packets, is_complete];
  };
  expect(await shownOf(10_000)).toEqual([10_000, true]);
  expect(await shownOf(20_000)).toEqual([10_000, false]);
  expect(queryOf).toEqual([20, 20]);
});

test('shows 1 to 100 packets', async () => {
  const read = async (count: string) => check(contract.query, { count: [count] }, invalidParameter);
  expect(await read('100')).toMatchObject({ count: 100 });
  for (const count of ['0', '101']) expect(await refusalOf(read(count))).toBe('400 invalid_parameter /count');
});
