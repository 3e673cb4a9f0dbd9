import type { Contract } from '@receipts/kernel';
import * as exported from '..';
import { storePermissions } from '..';

const contracts = Object.entries(exported)
  .filter(([name]) => name.endsWith('Contracts'))
  .flatMap(([, owned]) => Object.values(owned as Readonly<Record<string, Contract>>));

/** The endpoints for which users who are restricted to stores may hold the permission. */
const forRestrictedUsers = contracts.filter(({ permission = '' }) => storePermissions.includes(permission));

it('knows contracts of all services', () => {
  expect(new Set(contracts.map(({ owner }) => owner)).size).toBeGreaterThanOrEqual(6);
  expect(new Set(forRestrictedUsers.map(({ permission }) => permission)).size).toBeGreaterThan(8);
});

it('restricts users to their stores in every endpoint of their permissions', () => {
  const open = forRestrictedUsers.filter(({ forStores }) => forStores === undefined);
  expect(open.map(({ name }) => name)).toEqual([]);
});
