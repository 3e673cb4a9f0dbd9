import { isCardNumber } from '@receipts/contracts';
import { labelLanguages, labelsOf } from './labels';

const english = labelsOf('en');

it('has labels in 27 languages', () => {
  expect(labelLanguages).toHaveLength(27);
});

it.each(labelLanguages)('has every label in %s, with the same placeholders as in English', (language) => {
  const labels = labelsOf(language);
  expect(Object.keys(labels).toSorted()).toEqual(Object.keys(english).toSorted());
  const placeholders = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted();
  for (const [key, label] of Object.entries<string>({ ...labels })) {
    expect([key, label.trim() === label && label !== '']).toEqual([key, true]);
    expect(placeholders(label)).toEqual(placeholders(english[key as keyof typeof english]));
  }
});

it('distinguishes traditional from simplified Chinese, and recognizes the tags of Norwegian', () => {
  expect(labelsOf('zh-TW').copy).toBe(labelsOf('zh-Hant').copy);
  expect(labelsOf('zh-HK').receipt).toBe('收據');
  expect(labelsOf('zh-CN').receipt).toBe('小票');
  expect(labelsOf('nn-NO').receipt).toBe('Kvittering');
  expect(labelsOf('xx').receipt).toBe('Receipt');
});

it.each(labelLanguages)('names cards in %s as the rule about card numbers knows them', (language) => {
  const { card, creditCard, debitCard, giftcard, voucher, cash } = labelsOf(language);
  for (const name of [card, creditCard, debitCard, card.toUpperCase()]) {
    expect([name, isCardNumber('12345', [name])]).toEqual([name, true]);
  }
  for (const name of [giftcard, giftcard.toUpperCase(), voucher]) {
    expect([name, isCardNumber('4539578763621486', [name])]).toEqual([name, false]);
  }
  expect(isCardNumber('12345', [cash])).toBe(false);
});
