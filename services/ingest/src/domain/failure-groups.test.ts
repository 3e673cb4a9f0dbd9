import { failureGroups, type Failure } from './failure-groups';

const failure = (id: string, changes: Partial<Failure> = {}): Failure => ({
  id,
  retailer: 'a',
  reason: 'no_mapping',
  mapping: null,
  receivedAt: new Date(Number(id) * 1000),
  ...changes,
});

it('groups by retailer, reason and mapping, largest first', () => {
  const groups = failureGroups([
    failure('9', { retailer: 'b' }),
    failure('8'),
    failure('7', { reason: 'mapping_failed', mapping: 'm' }),
    failure('6'),
    failure('5', { reason: 'mapping_failed', mapping: 'n' }),
  ]);
  expect(
    groups.map(({ retailer, reason, mapping, packets }) => [retailer, reason, mapping, packets]),
  ).toEqual([
    ['a', 'no_mapping', null, 2],
    ['b', 'no_mapping', null, 1],
    ['a', 'mapping_failed', 'm', 1],
    ['a', 'mapping_failed', 'n', 1],
  ]);
  expect(groups[0]).toMatchObject({ newestPacket: '8', newest: new Date(8_000), oldest: new Date(6_000) });
  expect(failureGroups([])).toEqual([]);
});
