import type { ReturnedItem } from '@receipts/contracts';
import { rateOfItem } from './invoice';

const tax = (name: string, rate: number | null) => ({ name, rate, amount: 1, code: null, properties: {} });
const rateOf = (taxes: ReturnedItem['taxes'], vat: ReturnedItem['vat'] = null) =>
  rateOfItem({ taxes, vat } as ReturnedItem);

it('finds the rate of an item that states one tax, whether once or in parts', () => {
  const nineteen = { unscaled: 19n, scale: 0 };
  expect(rateOf([tax('vat', 19)])).toEqual(nineteen);
  expect(rateOf([tax('vat', 19), tax('vat', 19)])).toEqual(nineteen);
  expect(rateOf([], { rate: 19, amount: 1, code: null })).toEqual(nineteen);
});

it('finds no rate in several taxes, not even if their rates are equal, because they add up', () => {
  for (const taxes of [
    [],
    [tax('vat', null)],
    [tax('vat', 7), tax('vat', 19)],
    [tax('state', 4), tax('city', 4)],
  ])
    expect(rateOf(taxes)).toBeUndefined();
});
