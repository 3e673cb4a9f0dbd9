import { startDatabase } from '@receipts/testing';
import type { Database } from './connect-database';
import { watermarkPages } from './watermark-pages';
import type { WatermarkDocument } from './watermarks';

let database: Database;

beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const nameOf = (n: number) => `r${String(n).padStart(3, '0')}`;
const watermarksOf = async (count: number) => {
  const watermarks = await database.collection<WatermarkDocument>({ name: `marks_of_${count}`, indexes: [] });
  const documents = Array.from({ length: count }, (_, n) => ({ _id: nameOf(n), upTo: n, rev: 0 }));
  if (count > 0) await watermarks.insertMany(documents);
  return watermarks;
};

test.each([0, 1, 20, 45])('reads each of %p watermarks once per round', async (count) => {
  const next = watermarkPages(await watermarksOf(count));
  for (let round = 0; round < 2; round++) {
    const seen: string[] = [];
    for (let page = await next(); ; page = await next()) {
      seen.push(...page.map(({ _id }) => _id));
      expect(page.length).toBeLessThanOrEqual(20);
      if (page.length < 20) break;
    }
    expect(seen).toEqual(Array.from({ length: count }, (_, n) => nameOf(n)));
  }
});

test('completes a round without repetition despite deletions and insertions', async () => {
  const watermarks = await watermarksOf(41);
  const next = watermarkPages(watermarks);
  await next();
  await watermarks.deleteOne({ _id: nameOf(19) });
  await watermarks.deleteOne({ _id: nameOf(20) });
  await watermarks.insertOne({ _id: `${nameOf(39)}a`, upTo: 0, rev: 0 });
  const rest = [...(await next()), ...(await next())].map(({ _id }) => _id);
  const later = Array.from({ length: 19 }, (_, n) => nameOf(n + 21));
  expect(rest).toEqual([...later, `${nameOf(39)}a`, nameOf(40)]);
});
