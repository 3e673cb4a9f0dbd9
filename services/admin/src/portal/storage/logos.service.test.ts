import type { Database } from '@receipts/storage';
import { startDatabase } from '@receipts/testing';
import { Logos, logosDeclaration, type LogoDocument } from './logos';

let database: Database;
let logos: Logos;

beforeAll(async () => {
  database = await startDatabase('admin');
  logos = new Logos(await database.collection<LogoDocument>(logosDeclaration));
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});
beforeEach(() => database.db.collection(logosDeclaration.name).deleteMany({}));

const signal = () => AbortSignal.timeout(10_000);
const keep = (text: string, { retailer = 'r1', saved = undefined as string | undefined, minute = 0 } = {}) =>
  logos.keep(
    { retailer, type: 'image/png', bytes: Buffer.from(text) },
    saved,
    new Date(Date.UTC(2026, 4, 17, 10, minute)),
    signal(),
  );
const find = async (id: string) => (await logos.find(id, signal()))?.bytes.toString();

it('keeps an image once per retailer', async () => {
  const [id, other] = [await keep('a'), await keep('a', { retailer: 'r2' })];
  expect(await keep('a', { minute: 1 })).toBe(id);
  expect(other).not.toBe(id);
  expect([await find(id), await find(other), await find('unknown')]).toEqual(['a', 'a', undefined]);
  expect(await database.db.collection(logosDeclaration.name).countDocuments()).toBe(2);
});

it('keeps the last images of a retailer, and always the one in use', async () => {
  const others = await keep('theirs', { retailer: 'r2' });
  const saved = await keep('saved');
  const first = await keep('first', { minute: 1 });
  const second = await keep('second', { minute: 2 });
  for (let n = 3; n <= 22; n++) await keep(`preview ${n}`, { saved, minute: n });
  expect([await find(saved), await find(first), await find(second)]).toEqual(['saved', undefined, undefined]);
  await keep('saved', { minute: 30 });
  await keep('last', { minute: 31 });
  expect([await find(saved), await find(others)]).toEqual(['saved', 'theirs']);
  expect(await database.db.collection(logosDeclaration.name).countDocuments({ retailer: 'r1' })).toBe(20);
});
