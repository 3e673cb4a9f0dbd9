import { newId } from '@receipts/kernel';
import { callOf, refusalOf, startWorld, type World } from '../testing/world';

let world: World;
let retailer: string;

const card = '4539578763621486';

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  retailer = `r-${newId()}`;
  world.settings.set(retailer, { cards: { enabled: true, check: 'luhn' } });
  await importCards([{ card_number: card, registration_code: '123456' }]);
});

const importBytes = (text: string, contentType = 'application/json', id = retailer) =>
  world.ask('importCards', { params: { id }, body: Buffer.from(text), contentType }, callOf(''));
const importCards = async (cards: unknown) => (await importBytes(JSON.stringify(cards))).body;
const verify = (card_number: string, registration_code: string, call = callOf(retailer)) =>
  refusalOf(world.ask('verifyCard', { body: { card_number, registration_code } }, call));

it('accepts the right code any number of times', async () => {
  for (let n = 0; n < 15; n++) expect(await verify(card, '123456')).toBe('no refusal');
});

it('responds in the same way to a wrong code and to an unknown card', async () => {
  expect(await verify(card, '123457')).toBe('400 invalid_registration_code');
  expect(await verify('79927398713', '123456')).toBe('400 invalid_registration_code');
  expect(await verify(card, '123456', callOf('other'))).toBe('400 retailer_has_no_cards');
});

it('checks the number if the retailer requires it', async () => {
  expect(await verify('4539578763621487', '123456')).toBe('400 invalid_card_number');
  const lax = `r-${newId()}`;
  world.settings.set(lax, { cards: { enabled: true } });
  expect(await verify('4539578763621487', '1', callOf(lax))).toBe('400 invalid_registration_code');
});

it('does not store codes', async () => {
  const kept = await world.database.db
    .collection<{ _id: string }>('cards')
    .findOne({ _id: `${retailer}|${card}` });
  expect(JSON.stringify(kept)).not.toContain('123456');
});

it('locks only the affected card for the rest of the hour after ten wrong codes', async () => {
  const second = '79927398713';
  await importCards([{ card_number: second, registration_code: '1' }]);
  const wrong = await Promise.all(Array.from({ length: 14 }, (_, n) => verify(card, `wrong ${n}`)));
  expect(wrong.filter((refusal) => refusal === '400 invalid_registration_code')).toHaveLength(10);
  expect(await verify(card, '123456', callOf(retailer, { consumers: ['other'] }))).toBe('429 rate_limited');
  expect(await verify(second, '1')).toBe('no refusal');
  world.now = new Date(world.now.getTime() + 60 * 60_000);
  expect(await verify(card, '123456')).toBe('no refusal');
});

it('locks only the affected caller after a hundred wrong codes', async () => {
  const numbers = Array.from({ length: 10 }, (_, n) => `00000000000000${n}`);
  world.settings.set(retailer + 'x', { cards: { enabled: true } });
  const strangers = () => callOf(retailer + 'x', { consumers: ['mallory'] });
  for (const number of numbers) {
    for (let n = 0; n < 10; n++) await verify(number, `${n}`, strangers());
  }
  expect(await verify('1', '1', strangers())).toBe('429 rate_limited');
  const other = callOf(retailer + 'x', { consumers: ['joe'] });
  expect(await verify('1', '1', other)).toBe('400 invalid_registration_code');
});

describe('importing', () => {
  it('distinguishes new cards from those with a new code', async () => {
    const cards = [
      { card_number: card, registration_code: '7' },
      { card_number: 'A-1', registration_code: '8' },
    ];
    expect(await importCards(cards)).toEqual({ imported: 1, replaced: 1 });
    expect(await importCards(cards)).toEqual({ imported: 0, replaced: 2 });
    expect(await verify(card, '123456')).toBe('400 invalid_registration_code');
    expect(await verify(card, '7')).toBe('no refusal');
    expect(await importCards([])).toEqual({ imported: 0, replaced: 0 });
  });

  it('reads CSV with columns in any order, quotes, and a byte order mark', async () => {
    const text = '\ufeffregistration_code,card_number\r\n"1,""2",79927398713\r\n9,18\r\n';
    expect((await importBytes(text, 'text/csv; charset=utf-8')).body).toEqual({ imported: 2, replaced: 0 });
    expect(await verify('79927398713', '1,"2')).toBe('no refusal');
  });

  it.each<[string, string, string, string]>([
    ['a body that is not JSON', '{', 'application/json', '400 malformed_body'],
    ['a body that is not a list', '{}', 'application/json', '422 schema_validation_failed '],
    [
      'no code',
      '[{"card_number":"1"}]',
      'application/json',
      '422 schema_validation_failed /0/registration_code',
    ],
    [
      'a number',
      '[{"card_number":1,"registration_code":"1"}]',
      'application/json',
      '422 schema_validation_failed /0/card_number',
    ],
    ['other columns', 'card,code\r\n1,2\r\n', 'text/csv', '400 malformed_body'],
    ['an open quote', 'card_number,registration_code\r\n"1,2\r\n', 'text/csv', '400 malformed_body'],
    ['a short line', 'card_number,registration_code\r\n1\r\n', 'text/csv', '400 malformed_body'],
    [
      'an empty code',
      'card_number,registration_code\r\n1,\r\n',
      'text/csv',
      '422 schema_validation_failed /0/registration_code',
    ],
    ['nothing', '', 'text/csv', '400 malformed_body'],
  ])('rejects %s', async (_what, text, type, refusal) =>
    expect(await refusalOf(importBytes(text, type))).toBe(refusal),
  );

  it('reports the position of every error, and stores nothing', async () => {
    const cards = [
      { card_number: 'new', registration_code: '1' },
      { card_number: '', registration_code: '1' },
      { card_number: 'new', registration_code: '2', extra: 1 },
      { card_number: 'new', registration_code: '2' },
    ];
    const refused = await importCards(cards).catch((error: unknown) => error);
    const { errors } = refused as { errors: { path: string }[] };
    expect(errors.map(({ path }) => path)).toEqual(['/1/card_number', '/2/extra', '/3/card_number']);
    expect(await importCards([{ card_number: 'new', registration_code: '1' }])).toMatchObject({
      imported: 1,
    });
  });

  it('yields to other work during a large import', async () => {
    const cards = Array.from({ length: 5_000 }, (_, n) => ({
      card_number: `c${n}`,
      registration_code: `${n}`,
    }));
    let turns = 0;
    const beat = setInterval(() => turns++, 1);
    expect(await importCards(cards)).toEqual({ imported: 5_000, replaced: 0 });
    clearInterval(beat);
    expect(turns).toBeGreaterThan(5);
  });
});
