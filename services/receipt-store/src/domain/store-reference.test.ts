import type { StoreRecord } from '@receipts/contracts';
import { storeOf } from '../testing/samples';
import { storeIdOf, storeKey, storeKeysOfReferences, storeNamed, type StoreNames } from './store-reference';

function names(...stores: StoreRecord[]): StoreNames {
  return {
    byReference: (reference) => stores.find((store) => store.reference === reference),
    byExternalReference: (external) => stores.find((store) => store.external_reference === external),
  };
}

const opera = storeOf('acme', { id: 1, reference: 42, external_reference: 'opera' });
const digits = storeOf('acme', { id: 2, reference: 7, external_reference: '0042' });

test.each([
  [42, 1],
  ['42', 1],
  ['0042', 2],
  ['00042', 1],
  ['opera', 1],
  [7, 2],
  ['Opera', undefined],
  ['4.2', undefined],
  ['99999999999999999999', undefined],
])('finds, for %j, store %s', (reference, id) => {
  expect(storeNamed(reference, names(opera, digits))?.id).toBe(id);
});

test('treats digits with leading zeros as the reference if no external reference matches', () => {
  expect(storeNamed('0042', names(opera))?.id).toBe(1);
});

test('finds a receipt by its store, and by the posted reference of an unknown store', () => {
  expect(storeKey('opera', opera)).toBe('id:11');
  expect(storeIdOf(storeKey(1, { id: 12 }))).toBe('12');
  expect(storeIdOf('ref:12')).toBeUndefined();
  expect(storeKey('0099', undefined)).toBe('ref:99');
  expect(storeKey('elsewhere', undefined)).toBe('ref:elsewhere');
  expect(storeKeysOfReferences(['elsewhere', '0099'], names())).toEqual(['ref:elsewhere', 'ref:99']);
  expect(storeKeysOfReferences(['42'], names(opera)).sort()).toEqual(['id:11', 'ref:42', 'ref:opera']);
});
