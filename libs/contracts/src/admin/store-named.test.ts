import { storeNamed, type StoreNames } from './store-named';

interface NamedStore {
  readonly id: number;
  readonly reference: number;
  readonly external: string;
}

const names = (...stores: NamedStore[]): StoreNames<NamedStore> => ({
  byReference: (reference) => stores.find((store) => store.reference === reference),
  byExternalReference: (external) => stores.find((store) => store.external === external),
});

const opera = { id: 1, reference: 42, external: 'opera' };
const digits = { id: 2, reference: 7, external: '0042' };

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
