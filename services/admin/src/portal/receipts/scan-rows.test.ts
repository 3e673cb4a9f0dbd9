import { scanRows, scannedMax, type Rows, type RowsPage } from './scan-rows';

/** The positions of the rows, newest first. */
const positions = Array.from({ length: 12_000 }, (_, n) => 12_000 - n);

/** Reads rows as receipt-store does: those next to a position, newest first. */
const readAs =
  ({ direction }: RowsPage) =>
  (beyond: string | undefined, count: number): Promise<Rows> => {
    const edge = Number(beyond ?? (direction === 'older' ? Infinity : 0));
    const next =
      direction === 'older'
        ? positions.filter((at) => at < edge)
        : positions.filter((at) => at > edge).toReversed();
    const rows = next.slice(0, count).map((at) => ({ id: `r${at}`, position: String(at) }));
    return Promise.resolve({
      rows: direction === 'older' ? rows : rows.reverse(),
      has_more: next.length > count,
      is_complete: true,
      clauses: [],
    } as unknown as Rows);
  };

const scan = async (page: RowsPage, matches: (at: number) => boolean, hasTime = () => true) => {
  const matching = (rows: Rows['rows']) =>
    Promise.resolve(new Set(rows.filter(({ position }) => matches(Number(position))).map(({ id }) => id)));
  const found = await scanRows({ read: readAs(page), matching, hasTime }, page);
  return { ...found, at: found.rows.map(({ position }) => Number(position)) };
};

it.each(['older', 'newer'] as const)('finds every match once on pages to the %s', async (direction) => {
  const matches = (at: number) => at % 90 === 0 || (at > 700 && at < 730);
  const found: number[] = [];
  let beyond: string | undefined;
  for (;;) {
    const page = await scan({ beyond, direction, count: 7 }, matches);
    found.push(...page.at);
    if (!page.has_more) break;
    beyond = direction === 'older' ? page.oldest : page.newest;
  }
  expect(found.sort((one, other) => other - one)).toEqual(positions.filter(matches));
});

it('ends a page that finds little after many receipts, and says where to continue', async () => {
  const page = await scan({ direction: 'older', count: 50 }, (at) => at < 3);
  const oldest = String(12_001 - scannedMax);
  expect(page).toMatchObject({ at: [], has_more: true, newest: '12000', oldest, scanned: scannedMax });
});

it('ends a page when the time is up, but always reads something', async () => {
  const page = await scan(
    { beyond: '1000', direction: 'older', count: 50 },
    (at) => at < 3,
    () => false,
  );
  expect(page).toMatchObject({ at: [], has_more: true, newest: '999', oldest: '750', scanned: 250 });
});

it('shows the newest match first in both directions', async () => {
  const matches = (at: number) => at % 10 === 0;
  expect((await scan({ direction: 'older', count: 3 }, matches)).at).toEqual([12_000, 11_990, 11_980]);
  expect((await scan({ beyond: '100', direction: 'newer', count: 3 }, matches)).at).toEqual([130, 120, 110]);
});

it('reports the end', async () => {
  expect(await scan({ beyond: '20', direction: 'older', count: 50 }, () => true)).toMatchObject({
    has_more: false,
    oldest: '1',
  });
});
