import { listPackets as contract, type PacketView } from '@receipts/contracts';
import { check, invalidParameter, newId } from '@receipts/kernel';
import { refusalOf, worldOfTests } from '../testing/world';

const world = worldOfTests();

interface Query {
  readonly count?: number;
  readonly status?: PacketView['status'];
  readonly reason?: 'timeout' | 'crashed';
  readonly older?: string;
}

const list = async (query: Query = {}, changes = {}) =>
  (await world.ask('listPackets', { query: { count: 20, ...query } }, changes)).body;
const idsOf = ({ packets }: { packets: readonly PacketView[] }) => packets.map(({ id }) => id);

async function postMany(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push(await world.post());
  return ids.sort().reverse();
}

test('lists all pages, newest first, without a link on the last page', async () => {
  const ids = await postMany(5);
  const first = await list({ count: 2 });
  expect(first._links).toEqual({ next: { href: `/pos/packets?count=2&older=${ids[1]}` } });
  const second = await list({ count: 2, older: ids[1] as string });
  const third = await list({ count: 2, older: ids[3] as string });
  expect([first, second, third].flatMap(idsOf)).toEqual(ids);
  expect(third._links).toEqual({});
});

test('has no link on a page that contains exactly the rest', async () => {
  await postMany(2);
  expect((await list({ count: 2 }))._links).toEqual({});
});

test('filters by state and reason, and keeps the filter in the link', async () => {
  await world.post();
  const late = [await world.post({ outcome: 'timeout' }), await world.post({ outcome: 'timeout' })].sort();
  const crashed = await world.post({ outcome: 'crashed' });
  expect(idsOf(await list({ status: 'failed' }))).toHaveLength(3);
  expect(idsOf(await list({ reason: 'crashed' }))).toEqual([crashed]);
  const page = await list({ status: 'failed', reason: 'timeout', count: 1 });
  expect(idsOf(page)).toEqual([late[1]]);
  const query = `count=1&older=${late[1]}&status=failed&reason=timeout`;
  expect(page._links.next?.href).toBe(`/pos/packets?${query}`);
});

test('lists the packets of one retailer', async () => {
  await world.post({ call: { retailer: newId() } });
  expect(idsOf(await list())).toEqual([]);
});

test('accepts only packets of the retailer as cursors', async () => {
  const foreign = await world.post({ call: { retailer: newId() } });
  for (const older of ['zz', 'f'.repeat(24), foreign])
    expect(await refusalOf(list({ older }))).toBe('400 unknown_cursor /older');
});

const readQuery = async (query: object) => check(contract.query, query, invalidParameter);

test('returns 1 to 100 packets per page, 20 by default', async () => {
  expect(await readQuery({})).toMatchObject({ count: 20 });
  expect(await readQuery({ count: ['100'] })).toMatchObject({ count: 100 });
  for (const count of ['0', '101', '1.5', 'x'])
    expect(await refusalOf(readQuery({ count: [count] }))).toBe('400 invalid_parameter /count');
});

test('rejects invalid states and reasons', async () => {
  const work = readQuery({ status: ['lost'], reason: ['because'] });
  expect(await refusalOf(work)).toBe('400 invalid_parameter /status /reason');
});
