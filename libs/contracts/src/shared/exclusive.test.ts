import { faultsOf, parseBounded, type JsonBody } from '@receipts/kernel';
import type { z } from 'zod';
import {
  adminContracts,
  deliveryContracts,
  identifierContracts,
  postedReceipt,
  receiptStoreContracts,
} from '..';

const identified = { identifier: 'jane' };
const channels = { channels: ['email'] };
const receiptNames = 'id, transaction_id and external_id';
const receipt = { transaction_id: 't', localtime: '2024-05-17T14:03:22', store_reference: 1, total: 1 };
const items = [{ name: 'Coffee', quantity: 1, total: 1 }];

function schemaOf({ body }: { readonly body?: unknown }, type = 'application/json'): z.ZodType {
  const schema = (body as JsonBody).variants[type];
  if (!schema) throw new Error(`there is no body of type ${type}`);
  return schema;
}

const assign = schemaOf(receiptStoreContracts.assignReceipt);
const send = schemaOf(deliveryContracts.sendReceipt);
const revoke = schemaOf(adminContracts.revokeTokens);
const replay = schemaOf(adminContracts.replayDeadLetters);
const patchClient = schemaOf(adminContracts.patchClient);
const patchIdentifier = schemaOf(identifierContracts.patchIdentifier);

test.each<[z.ZodType, unknown, string[]]>([
  [assign, identified, [`/id exactly one of ${receiptNames}`]],
  [assign, { ...identified, id: 'a', external_id: 'b' }, [`/external_id exactly one of ${receiptNames}`]],
  [send, channels, ['/id exactly one of id and transaction_id']],
  [
    send,
    { ...channels, id: 'a', transaction_id: 'b' },
    ['/transaction_id exactly one of id and transaction_id'],
  ],
  [revoke, {}, ['/jti exactly one of jti and all']],
  [revoke, { jti: 'a', all: true }, ['/all exactly one of jti and all']],
  [replay, { queue: 'q' }, ['/ids exactly one of ids and all']],
  [replay, { queue: 'q', ids: ['a'], all: true }, ['/all exactly one of ids and all']],
  [
    patchClient,
    { permissions: [], 'permissions+=': [], 'permissions-=': [] },
    [
      '/permissions+= at most one of permissions, permissions+= and permissions-=',
      '/permissions-= at most one of permissions, permissions+= and permissions-=',
    ],
  ],
  [
    patchIdentifier,
    { properties: { 'opt-out': [], 'opt-out+=': [] } },
    ['/properties/opt-out+= at most one of opt-out and opt-out+='],
  ],
  [
    postedReceipt,
    { ...receipt, items, attachments: { a: { id: 'x', data: 'AA==' } } },
    ['/attachments/a exactly one of id and data'],
  ],
])('%#: uses one code and one wording for mutually exclusive fields', (schema, value, expected) => {
  const { error } = parseBounded(schema, value);
  const faults = error ? faultsOf(error).filter(({ code }) => code === 'exclusive') : [];
  expect(faults.map(({ path, message }) => `${path} ${message}`)).toEqual(
    expected.map((each) => `${each} must be given`),
  );
});

test('reports conflicting fields together with other faults', () => {
  const { error } = parseBounded(send, { channels: [], nope: 1 });
  expect(
    error &&
      faultsOf(error)
        .map(({ path, code }) => `${path} ${code}`)
        .sort(),
  ).toEqual(['/channels too_small', '/id exclusive', '/nope unknown_field']);
});
