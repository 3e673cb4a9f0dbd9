import type { StoreNames, StoreRecord } from '@receipts/contracts';
import { storeOf } from '../testing/samples';
import { storeIdOf, storeKey, storeKeysOfReferences } from './store-reference';

function names(...stores: StoreRecord[]): StoreNames<StoreRecord> {
  return {
    byReference: (reference) => stores.find((store) => store.reference === reference),
    byExternalReference: (external) => stores.find((store) => store.external_reference === external),
  };
}

const opera = storeOf('acme', { id: 1, reference: 42, external_reference: 'opera' });
test('finds a receipt by its store, and by the posted reference of an unknown store', () => {
  expect(storeKey('opera', opera)).toBe('id:11');
  expect(storeIdOf(storeKey(1, { id: 12 }))).toBe('12');
  expect(storeIdOf('ref:12')).toBeUndefined();
  expect(storeKey('0099', undefined)).toBe('ref:99');
  expect(storeKey('elsewhere', undefined)).toBe('ref:elsewhere');
  expect(storeKeysOfReferences(['elsewhere', '0099'], names())).toEqual(['ref:elsewhere', 'ref:99']);
  expect(storeKeysOfReferences(['42'], names(opera)).sort()).toEqual(['id:11', 'ref:42', 'ref:opera']);
});
