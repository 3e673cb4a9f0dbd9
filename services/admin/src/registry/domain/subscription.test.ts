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
])('binds %j with %j', (types, keys) => expect(routingKeysOf(types)).toEqual(keys));
