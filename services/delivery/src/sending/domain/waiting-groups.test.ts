import { waitingGroups, type Waiting } from './waiting-groups';

const waiting = (second: number, changes: Partial<Waiting> = {}): Waiting => ({
  retailer: 'a',
  channel: 'email',
  reason: null,
  receiptId: `r${second}`,
  attempts: 0,
  requestedAt: new Date(second * 1000),
  dueAt: new Date(second * 2000),
  ...changes,
});

it('groups by retailer, channel and reason, with the details of the oldest delivery', () => {
  const groups = waitingGroups([
    waiting(5, { attempts: 3 }),
    waiting(2),
    waiting(3, { dueAt: new Date(1) }),
    waiting(1, { reason: 'smtp_unavailable', attempts: 9 }),
    waiting(4, { retailer: 'b' }),
  ]);
  expect(groups.map(({ retailer, reason, deliveries }) => [retailer, reason, deliveries])).toEqual([
    ['a', null, 3],
    ['a', 'smtp_unavailable', 1],
    ['b', null, 1],
  ]);
  expect(groups[0]).toMatchObject({
    receiptId: 'r2',
    requestedAt: new Date(2_000),
    dueAt: new Date(1),
    attempts: 3,
  });
  expect(waitingGroups([])).toEqual([]);
});
