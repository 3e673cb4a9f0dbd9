import { defaultRetailerSettings, holdsPermission } from '@receipts/contracts';
import { groupPermissions, userPermissions, userStores } from './portal-group';

const settings = {
  ...defaultRetailerSettings,
  portal_groups: ['managers', 'clerks', 'nobodies'],
  portal_permissions: {
    managers: ['view.*'],
    nobodies: [],
    former: ['view.*'],
  },
  portal_stores: { clerks: [1, 'opera'], deleted: [1], managers: null },
};
const of = (group: string) =>
  ['view.get_receipt', 'view.send_receipt']
    .filter((permission) => holdsPermission(groupPermissions(group, settings), permission))
    .join(' ');

it.each([
  ['managers', 'view.get_receipt view.send_receipt'],
  ['clerks', 'view.get_receipt'],
  ['', 'view.get_receipt'],
  ['nobodies', ''],
  ['former', 'view.get_receipt'],
  ['constructor', 'view.get_receipt'],
])('%s may %s', (group, may) => expect(of(group)).toBe(may));

it.each([
  ['managers', null, undefined],
  ['managers', ['2'], ['2']],
  ['clerks', null, ['1', 'opera']],
  ['clerks', ['opera', '2'], ['opera']],
  ['clerks', ['2'], []],
  ['', ['2'], ['2']],
  // Users of a deleted group must not see more than before.
  ['deleted', null, ['1']],
  ['constructor', null, undefined],
])('a user of %s with the stores %j sees %j', (group, stores, expected) =>
  expect(userStores({ group, stores }, settings)).toEqual(expected),
);

it('leaves users who are restricted to stores only the permissions that they can exercise there', () => {
  expect(userPermissions({ group: 'managers', stores: null }, settings)).toEqual(['view.*']);
  const restricted = userPermissions({ group: 'managers', stores: ['2'] }, settings);
  expect(restricted).toContain('view.send_receipt');
  for (const permission of ['view.*', 'view.manage_webhook', 'view.get_client', 'view.get_events']) {
    expect(holdsPermission(restricted, permission)).toBe(false);
  }
});
