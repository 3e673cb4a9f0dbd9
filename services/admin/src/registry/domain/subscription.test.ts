import { routingKeysOf } from './subscription';

it.each<[readonly string[], readonly string[]]>([
  [['*'], ['#']],
  [['receipt.created'], ['receipt.created']],
  [
    ['receipt.*', 'store.updated'],
    ['receipt.#', 'store.updated'],
  ],
  [['store.*d'], ['store.created', 'store.updated']],
  [['store.created', 'store.c*'], ['store.created']],
])('binds the event types %j with the routing keys %j', (types, keys) =>
  expect(routingKeysOf(types)).toEqual(keys),
);
