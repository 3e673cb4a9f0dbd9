import { limitsOf } from '@receipts/contracts';
import { ConversionError } from './faults/conversion-fault';
import { compileMapping, RunError, runMapping, type LimitedRules, type MappingRules } from './run-mapping';

const rulesOf = (expression: string, changes: Partial<MappingRules> = {}): LimitedRules => {
  const rules: MappingRules = {
    decode: { type: 'text' },
    extract: { fields: { number: { line: '^No (\\S+)' }, total: { line: '^TOTAL (\\S+)' } } },
    transform: { language: 'jsonata', expression },
    ...changes,
  };
  return { ...rules, limits: limitsOf(rules) };
};

const run = (text: string | Buffer, expression: string, changes?: Partial<MappingRules>, metadata = {}) =>
  runMapping(compileMapping(rulesOf(expression, changes)), {
    bytes: Buffer.from(text),
    contentType: null,
    metadata,
    properties: {},
    attachments: [],
    receivedTimestamp: '2026-01-02T03:04:05+00:00',
  });

async function failureOf(work: Promise<unknown>): Promise<ConversionError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof RunError) return error.failure;
    if (error instanceof ConversionError) return error;
    throw error;
  }
  throw new Error('the conversion did not fail');
}

const receipt = '{ "transaction_id": fields.number, "total": fields.total }';
const receiptOrNone = `fields.number ? ${receipt} : []`;

test('the expression runs once a part, and sees part and parts', async () => {
  const { receipts, partsOfReceipts } = await run(
    'A\fB\fC',
    '{ "text": lines[0], "part": part, "of": parts }',
  );
  expect(receipts).toEqual([
    { text: 'A', part: 0, of: 3 },
    { text: 'B', part: 1, of: 3 },
    { text: 'C', part: 2, of: 3 },
  ]);
  expect(partsOfReceipts).toEqual([0, 1, 2]);
});

test('an empty list says that a part is no receipt', async () => {
  const slips = 'KITCHEN\n2 TEA\fNo 1\nTOTAL 5\fCARD SLIP';
  const { receipts, partsOfReceipts } = await run(slips, receiptOrNone);
  expect(receipts).toEqual([{ transaction_id: '1', total: '5' }]);
  expect(partsOfReceipts).toEqual([1]);
});

test('all parts may be no receipts, and data may print nothing', async () => {
  expect((await run('KITCHEN\fREPORT', receiptOrNone)).receipts).toEqual([]);
  const pulse = Buffer.from([0x1b, 0x70, 0, 25, 250]);
  expect((await run(pulse, receipt, { decode: { type: 'escpos' } })).receipts).toEqual([]);
});

test.each(['fields.nothing', 'null', '{}', '"text"', '[null]', '[{}]'])(
  '%s is an error',
  async (expression) => {
    const { reason, faults } = await failureOf(run('A\fB', `part = 1 ? ${expression} : []`));
    expect([reason, faults]).toMatchObject(['mapping_failed', [{ code: 'no_receipt', part: 1 }]]);
  },
);

test('two parts that give the same receipt are one', async () => {
  const { receipts } = await run('No 1\nTOTAL 5\fCOPY\nNo 1\nTOTAL 5\fNo 2\nTOTAL 5', receipt);
  expect(receipts).toEqual([
    { transaction_id: '1', total: '5' },
    { transaction_id: '2', total: '5' },
  ]);
  expect((await run('A\fB', '{ "total": 1 }', {}, { transaction_id: '7' })).receipts).toEqual([
    { total: 1, transaction_id: '7' },
  ]);
});

test('one number with other content is an error', async () => {
  const { reason, faults } = await failureOf(run('No 1\nTOTAL 5\fNo 1\nTOTAL 6', receipt));
  expect(reason).toBe('duplicate_transaction_id');
  expect(faults).toMatchObject([{ path: '/1/transaction_id', code: 'duplicate_transaction_id', part: 1 }]);
});

test('numbers that differ in their last digit are two receipts', async () => {
  const { receipts } = await run('No 90071992547409931\nTOTAL 5\fNo 90071992547409932\nTOTAL 5', receipt);
  expect(receipts).toHaveLength(2);
});

test('the errors of all parts are reported, each with its part', async () => {
  const { faults } = await failureOf(run('A\fNo 1\fB', 'fields.number ? { "a": 1 } : $error("no number")'));
  expect(faults.map(({ part }) => part)).toEqual([0, 2]);
});

describe('tables', () => {
  const table = (rule: object, text: string) =>
    run(text, '[tables.items]', {
      extract: { tables: { items: { row: '^(?<name>[A-Z]+) (?<amount>\\d+)$', ...rule } } },
    });

  test('with repeat, a row is matched as often as it fits', async () => {
    const row = '(?<name>[A-Z]+) +(?<amount>\\d+)(?: |$)';
    const found = await table({ row, repeat: true }, 'TEA 2   CAKE 3\nMILK 1');
    expect(found.receipts).toEqual([
      { name: 'TEA', amount: '2' },
      { name: 'CAKE', amount: '3' },
      { name: 'MILK', amount: '1' },
    ]);
    expect((await table({ row }, 'TEA 2   CAKE 3')).receipts).toEqual([{ name: 'TEA', amount: '2' }]);
  });

  test('lines that neither row nor continuation matches are counted', async () => {
    const rule = { from: '^===', to: '^---', continuation: '^ (?<note>.+)' };
    const found = await table(rule, 'SHOP\n===\nTEA 2\n hot\n??\nCAKE 3\n!!\n\n---\nbye');
    expect(found.decoded.warnings).toMatchObject([
      { path: '/extract/tables/items', code: 'unmatched_lines', count: 2, part: 0 },
    ]);
    expect(found.decoded.warnings[0]?.message).toContain('??');
  });

  test('without from and to, a table is between its first and last row', async () => {
    const count = async (text: string) =>
      (await table({}, text)).decoded.warnings.map((warning) => warning.count);
    expect(await count('SHOP\nTEA 2\n??\nCAKE 3\nTOTAL: 5')).toEqual([1]);
    expect(await count('SHOP\nTEA 2\nCAKE 3\nTOTAL: 5')).toEqual([]);
  });
});
