import type { TestRetailer } from './client';
import { aReceipt } from './receipts';

/** A store with everything that an invoice requires of the seller. */
export const invoicingStore = {
  reference: 1,
  name: 'Café Lumière',
  company: 'Lumière SAS',
  vatno: 'FR12345678901',
  address: ['12 rue de la Paix', '2e étage', 'Bâtiment B'],
  city: 'Paris',
  postcode: '75002',
  country: 'FRA',
};

export const vat = (rate: number, amount: number) => [{ name: 'vat', rate, amount }];

export const ratedItems = [
  { name: 'Shirt <red> & "blue"', quantity: 1, total: 19.99, taxes: vat(20, 3.33), gtin: '4006381333931' },
  { name: 'Café crème', quantity: 2, unit: 'pcs', total: 5.49, taxes: vat(10, 0.5) },
];

/** Posts a receipt whose items have rates of tax. @returns its id and the path of its page */
export async function postRated(
  { api }: TestRetailer,
  overrides: Record<string, unknown> = {},
): Promise<{ readonly id: string; readonly page: string }> {
  const { status, body } = await api.post('/receipts', aReceipt({ items: ratedItems, ...overrides }));
  if (status !== 201) throw new Error(`POST /receipts: ${status} ${JSON.stringify(body)}`);
  const { pathname } = new URL(body._links.webview.href as string);
  return { id: body.id as string, page: pathname };
}
