import { countTurns } from '@receipts/testing';
import { readImportedCards } from './imported-cards';

const cards = Array.from({ length: 20_000 }, (_, n) => ({
  card_number: `29${String(n).padStart(14, '0')}`,
  registration_code: `code ${n}`,
}));
const lines = cards.map(({ card_number: number, registration_code: code }) => `${number},"${code}"`);
const csv = Buffer.from(['\ufeffcard_number,registration_code', ...lines, ''].join('\r\n'));

it('parses and checks a long list in parts', async () => {
  const turns = countTurns();
  expect(await readImportedCards(csv, 'text/csv')).toEqual(cards);
  const checking = cards.length / 500;
  expect(turns()).toBeGreaterThanOrEqual(checking + Math.floor(csv.length / (64 * 1024)));
});

it.each([
  ['a quote that does not end', 'card_number,registration_code\r\n"29,1'],
  ['a line with too few columns', 'card_number,registration_code\r\n29'],
  ['other columns', 'number,code\r\n29,1'],
  ['nothing', ''],
])('rejects %s', async (_what, text) => {
  await expect(readImportedCards(Buffer.from(text), 'text/csv; charset=utf-8')).rejects.toMatchObject({
    status: 400,
    code: 'malformed_body',
  });
});
