import { identifierOf, summaryOf, type Totals } from './identifier';

const totals = (change: Partial<Totals> = {}): Totals => ({
  receipts: 1,
  total: '10',
  currency: 'EUR',
  first: '2026-01-01T10:00:00+00:00',
  last: '2026-01-02T10:00:00+00:00',
  ...change,
});

describe('the summary', () => {
  it('is {} before the first receipt', () => expect(summaryOf([])).toEqual({}));

  it.each(['0.3', '1.23456789', '-123456789.123456', '9007199254740991'])('keeps all digits of %s', (total) =>
    expect(summaryOf([totals({ total })])).toMatchObject({ total: Number(total) }),
  );

  it('does not add up different currencies, and uses the currency of the latest receipt', () => {
    const dollars = totals({
      currency: 'USD',
      total: '7',
      receipts: 2,
      first: '2025-12-01T10:00:00+00:00',
      last: '2026-03-01T10:00:00+00:00',
    });
    for (const list of [
      [totals(), dollars],
      [dollars, totals()],
    ]) {
      expect(summaryOf(list)).toEqual({
        receipts: 3,
        total: 7,
        currency: 'USD',
        first_receipt_timestamp: '2025-12-01T10:00:00+00:00',
        last_receipt_timestamp: '2026-03-01T10:00:00+00:00',
      });
    }
    expect(summaryOf([totals({ first: '2020-01-01T00:00:00+00:00' }), dollars])).toMatchObject({
      first_receipt_timestamp: '2020-01-01T00:00:00+00:00',
    });
  });
});

it('returns times that end in +00:00', () => {
  const at = new Date('2026-05-17T10:00:00.500Z');
  const record = { identifier: 'jane', version: 1, createdAt: at, updatedAt: at, sourceUpdatedAt: null };
  expect(identifierOf({ ...record, properties: '{"a":1}' })).toEqual({
    identifier: 'jane',
    created_timestamp: '2026-05-17T10:00:00.500+00:00',
    updated_timestamp: '2026-05-17T10:00:00.500+00:00',
    source_updated_timestamp: null,
    summary: {},
    properties: { a: 1 },
  });
});
