import { isCardNumber } from '.';

const card = '4539578763621486';

test.each([
  'card',
  'CARD',
  'Credit',
  'debit',
  'VISA',
  'visa_debit',
  'Mastercard',
  'MAESTRO',
  'amex',
  'American Express',
  'american_express',
  'Discover',
  'Diners Club',
  'JCB',
  'UnionPay',
  'union-pay',
  'Bancontact',
  'girocard',
  'EC',
  'ec-Karte',
  'EC-Cash',
  'Carte Bancaire',
  'CB',
  'Dankort',
  'Elo',
  'MIR',
  'RuPay',
  'Kreditkarte',
  'Kartenzahlung',
  'Crédit',
  'Visa gift card',
  'クレジット',
  'KREDI KARTI',
  'Банковская карта',
])('a payment named %s has at most the last four digits', (name) => {
  expect(isCardNumber('12345', [name])).toBe(true);
  expect(isCardNumber('１２３４５', ['cash', name])).toBe(true);
  expect(isCardNumber('**** 1234', [name])).toBe(false);
});

test.each([
  'giftcard',
  'Gift Card',
  'GIFT_CARD',
  'Carte cadeau',
  'Geschenkkarte',
  'voucher',
  'Gutschein',
  'Bon',
  'store_credit',
  'Store credit',
  'direct debit',
  'Direct-Debit',
  'SEPA-Lastschrift',
  'SEPA',
  'Prélèvement',
  'Domiciliación bancaria',
  'Débito direto',
  'Automatische incasso',
  'Autogiro',
  'Csoportos beszedés',
  'Bono',
  'Crédit magasin',
])('a payment named %s has any number', (name) => {
  expect(isCardNumber(card, [name])).toBe(false);
});

test.each([
  'cash',
  'check',
  'cheque',
  'electronic',
  'melon',
  'miracle',
  'korting',
  'points',
  'transfer',
  'bonus',
])('a payment named %s has no number of a card', (name) => {
  expect(isCardNumber('12345', [name])).toBe(false);
  expect(isCardNumber('4539578763621487', [name])).toBe(false);
  for (const number of [card, '4539 5787-6362 1486', '٤٥٣٩٥٧٨٧٦٣٦٢١٤٨٦', '３７８２８２２４６３１０００５']) {
    expect(isCardNumber(number, [name])).toBe(true);
  }
});

test.each([
  [11, '00000000000', false],
  [12, '000000000000', true],
  [19, '0000000000000000000', true],
  [20, '00000000000000000000', false],
])('of %i digits with a right check digit', (_digits, number, isCard) => {
  expect(isCardNumber(number, ['other'])).toBe(isCard);
});

test.each([null, undefined, 4539578763621486, ''])('%j is not a number of a card', (number) => {
  expect(isCardNumber(number, ['card'])).toBe(false);
});
