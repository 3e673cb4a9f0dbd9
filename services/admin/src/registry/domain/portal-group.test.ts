import { defaultRetailerSettings, holdsPermission } from '@receipts/contracts';
import { groupPermissions } from './portal-group';

const settings = {
  ...defaultRetailerSettings,
  portal_groups: ['managers', 'clerks', 'nobodies'],
  portal_permissions: {
    managers: ['view.*'],
    nobodies: [],
    former: ['view.*'],
  },
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
