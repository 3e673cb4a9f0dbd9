import { completeReceipt } from './complete-receipt';

const metadata = {
  identifier: 'joe',
  store_reference: '7',
  till_uuid: 'u',
  transaction_id: 'T',
  external_id: 'E',
  duplicate: true,
  mapping: 'm',
};
const attachments = [{ id: '1', label: 'terms' }];

test('fills in missing values', () => {
  expect(
    completeReceipt({ total: 1 }, 0, { defaults: { incomplete: false }, metadata, attachments }),
  ).toEqual({
    total: 1,
    identifier: 'joe',
    store_reference: '7',
    till_uuid: 'u',
    transaction_id: 'T',
    external_id: 'E',
    duplicate: true,
    incomplete: false,
    attachments: { terms: { id: '1' } },
  });
});

test('does not replace existing values', () => {
  const receipt = {
    identifier: 'ann',
    store_reference: 8,
    till_uuid: 'v',
    transaction_id: 'X',
    external_id: 'F',
    duplicate: false,
    incomplete: true,
    attachments: { terms: { id: '2' } },
  };
  expect(completeReceipt(receipt, 0, { defaults: { incomplete: false }, metadata, attachments })).toEqual(
    receipt,
  );
});

test('puts unique values only into the first receipt', () => {
  const second = completeReceipt({}, 1, { defaults: {}, metadata, attachments: [] });
  expect(second).not.toHaveProperty('transaction_id');
  expect(second).not.toHaveProperty('external_id');
  expect(second).toMatchObject({ store_reference: '7', duplicate: true });
});
