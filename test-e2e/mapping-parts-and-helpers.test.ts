import type { TestRetailer } from './harness/client';
import { dryRun } from './harness/dry-run';
import { aRetailer } from './harness/shared-platform';

let retailer: TestRetailer;

beforeAll(async () => {
  retailer = await aRetailer({ timezone: 'Europe/Berlin' });
});

type Piece = string | readonly number[] | Buffer;
const bytes = (...pieces: readonly Piece[]) =>
  Buffer.concat(
    pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece, 'latin1') : Buffer.from(piece))),
  );

const cut = [0x1d, 0x56, 0];

describe('parts', () => {
  const job = bytes('ONE\n', cut, 'TWO\n', cut);
  const receipt = (id: string, total = '1') =>
    `{"transaction_id": ${id}, "localtime": "2026-03-14T12:00:00", "store_reference": "1", "total": ${total}, "items": [{"name": "x", "quantity": 1, "total": 1}]}`;
  const decode = { type: 'escpos' };

  it('end at cuts, and are one with split none', async () => {
    expect(
      (await dryRun(retailer.api, job, { decode })).decoded.parts.map(
        (part: { lines: string[] }) => part.lines,
      ),
    ).toEqual([['ONE'], ['TWO']]);
    const { decoded } = await dryRun(retailer.api, job, { decode: { ...decode, split: 'none' } });
    expect(decoded.lines).toEqual(['ONE', '\f', 'TWO']);
  });

  it('are counted for the expression', async () => {
    const expression = receipt("'T' & part & '/' & parts");
    const { receipts } = await dryRun(retailer.api, job, {
      decode,
      transform: { language: 'jsonata', expression },
    });
    expect(receipts.map((one: { transaction_id: string }) => one.transaction_id)).toEqual(['T0/2', 'T1/2']);
  });

  it.each(['null', '{}', 'nothing'])('that give %s are an error that names the part', async (result) => {
    const expression = `part = 0 ? [] : ${result}`;
    const { errors } = await dryRun(retailer.api, job, {
      decode,
      transform: { language: 'jsonata', expression },
    });
    expect(errors).toMatchObject([{ part: 1 }]);
  });

  it('with the same receipt are one, with another content an error', async () => {
    const same = await dryRun(retailer.api, job, {
      decode,
      transform: { language: 'jsonata', expression: receipt("'A'") },
    });
    expect([same.receipts.length, same.errors]).toEqual([1, []]);
    const other = await dryRun(retailer.api, job, {
      decode,
      transform: { language: 'jsonata', expression: receipt("'A'", 'part') },
    });
    expect(other.errors).toMatchObject([{ code: 'duplicate_transaction_id', part: 1 }]);
  });

  it('find several rows in a line, and warn of lines that no rule matches', async () => {
    const extract = {
      tables: { items: { from: '^=', to: '^-', row: '(?<name>[A-Z]+) (?<amount>\\d+)', repeat: true } },
    };
    const input = bytes('===\nTEA 2   BUN 3\n???\n---\n');
    const { decoded, warnings } = await dryRun(retailer.api, input, { decode: { type: 'text' }, extract });
    expect(decoded.tables.items).toMatchObject([
      { name: 'TEA', amount: '2' },
      { name: 'BUN', amount: '3' },
    ]);
    expect(warnings).toMatchObject([{ code: 'unmatched_lines', count: 1 }]);
  });
});

describe('helpers', () => {
  const evaluate = async (expression: string) => {
    const { receipts, errors } = await dryRun(retailer.api, Buffer.from('x\n'), {
      decode: { type: 'text' },
      transform: {
        language: 'jsonata',
        expression: `{"transaction_id": "1", "localtime": "2026-03-14T12:00:00", "store_reference": "1", "total": 1, "items": [{"name": "x", "quantity": 1, "total": 1}], "properties": {"value": ${expression}}}`,
      },
    });
    return errors.length > 0 ? 'refused' : receipts[0].properties.value;
  };

  it.each<[string, unknown]>([
    ['$money("1.234,56")', 1234.56],
    ['$money("1,234.56")', 1234.56],
    ['$money("1’234.50")', 1234.5],
    ['$money("12.50-")', -12.5],
    ['$money("−3,00")', -3],
    ['$money("–3,00")', -3],
    ['$money("(3.00)")', -3],
    ['$money("3.00 CR")', -3],
    ['$money("¥12,080-")', 12080],
    ['$money("12.-")', 12],
    ['$money("Rs. 250")', 250],
    ['$money("kr. 12,50")', 12.5],
    ['$money("Fr. 5.00")', 5],
    ['$money("EC-Karte 12,50")', 12.5],
    ['$money("１２．５０")', 12.5],
    ['$money("٣٫٥٠")', 3.5],
    ['$money("1 234,50")', 1234.5],
    ['$money("2 x 1,50")', 'refused'],
    ['$money("29.11.26")', 'refused'],
    ['$money("12,5012,50")', 'refused'],
    ['$money("FREE")', 'refused'],
    ['$iso("14.03.2026", "12:30", "DD.MM.YYYY HH:mm")', '2026-03-14T12:30:00'],
    ['$iso("14.03.2026", "12:30", "DD.MM.YYYY HH:mm", "Europe/Berlin")', '2026-03-14T12:30:00+01:00'],
    ['$iso("14. März 2026", "12:30", "DD. MMMM YYYY HH:mm")', '2026-03-14T12:30:00'],
    ['$iso("31.12.26", "24:00", "DD.MM.YY HH:mm")', '2027-01-01T00:00:00'],
    ['$iso("14/03/2569", "12:30", "DD/MM/BBBB HH:mm")', '2026-03-14T12:30:00'],
    ['$iso("14/03/2569", "12:30", "DD/MM/YYYY HH:mm")', 'refused'],
    ['$iso("31.02.2026", "12:30", "DD.MM.YYYY HH:mm")', 'refused'],
    ['$iso("14 listopad 2026", "12:30", "DD MMMM YYYY HH:mm")', 'refused'],
    ['$iso("14 listopad 2026", "12:30", "DD MMMM YYYY HH:mm", null, "pl")', '2026-11-14T12:30:00'],
    ['$local("2026-07-14T22:30:00Z")', '2026-07-15T00:30:00+02:00'],
    ['$local("2026-07-14T22:30:00Z", "Asia/Tokyo")', '2026-07-15T07:30:00+09:00'],
    ['$local("2026-07-14T22:30:00")', 'refused'],
  ])('%s gives %j', async (expression, expected) => {
    expect(await evaluate(expression)).toEqual(expected);
  });
});
