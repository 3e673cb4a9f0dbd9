import { readImportedCards } from './imported-cards';

const cards = Array.from({ length: 20_000 }, (_, n) => ({
  card_number: `29${String(n).padStart(14, '0')}`,
  registration_code: `code ${n}`,
}));
const lines = cards.map(({ card_number: number, registration_code: code }) => `${number},"${code}"`);
const csv = Buffer.from(['\ufeffcard_number,registration_code', ...lines, ''].join('\r\n'));

/** Counts the turns that others have. */
async function turnsDuring<T>(work: Promise<T>): Promise<{ turns: number; result: T }> {
  let turns = 0;
  let isOver = false;
  const next = () => {
    turns++;
    if (!isOver) setImmediate(next);
  };
  setImmediate(next);
  const result = await work;
  isOver = true;
  return { turns, result };
}

it('parses and checks a long list a part at a time', async () => {
  const { turns, result } = await turnsDuring(readImportedCards(csv, 'text/csv'));
  expect(result).toEqual(cards);
  const checking = cards.length / 500;
  expect(turns).toBeGreaterThanOrEqual(checking + Math.floor(csv.length / (64 * 1024)));
});

it.each([
  ['a quote that does not end', 'card_number,registration_code\r\n"29,1'],
  ['a line with too few columns', 'card_number,registration_code\r\n29'],
  ['other columns', 'number,code\r\n29,1'],
  ['nothing', ''],
])('refuses %s', async (_what, text) => {
  await expect(readImportedCards(Buffer.from(text), 'text/csv; charset=utf-8')).rejects.toMatchObject({
    status: 400,
    code: 'malformed_body',
  });
});
