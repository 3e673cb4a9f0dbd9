import type { mappingTemplates } from '@receipts/contracts';

export type TemplateName = (typeof mappingTemplates)[number];

interface Template {
  /** The name of the format; undefined for printed text. */
  readonly label?: string;
  readonly contentType: string;
  /** The mapping without its expression. */
  readonly rules: object;
  readonly expression: string;
  /** An example to start from. */
  readonly slip: string;
}

const printed = `Corner Shop
Receipt: 4711
Date: 14/03/2026 12:30
Tea                     2     5.00
Cake                    1     3.20
TOTAL                         8.20
CASH                          8.20
`;

const extract = {
  fields: {
    number: { line: '^Receipt: (\\S+)' },
    time: { line: '^Date: (\\S+) (\\S+)', groups: ['date', 'clock'] },
    total: { line: '^TOTAL\\s+([\\d.]+)$' },
  },
  tables: {
    items: {
      from: '^Date:',
      to: '^TOTAL',
      row: '^(?<name>.{1,24}?)\\s{2,}(?<quantity>\\d+)\\s+(?<amount>[\\d.]+)$',
    },
    payments: { row: '^(?<method>CASH|CARD)\\s+(?<amount>[\\d.]+)$' },
  },
};

const printedExpression = `{
  "transaction_id": fields.number,
  "localtime": $iso(fields.time.date, fields.time.clock, "DD/MM/YYYY HH:mm"),
  "store_reference": "1",
  "total": $money(fields.total),
  "items": tables.items.{
    "name": $trim(name),
    "quantity": $number(quantity),
    "total": $money(amount)
  }[],
  "payments": tables.payments.{
    "method": $lowercase(method),
    "amount": $money(amount)
  }[]
}`;

/** The members are the same in the three tree formats; only their paths differ. */
const treeExpression = (sale: string, items: string) => `{
  "transaction_id": $string(${sale}.number),
  "localtime": $iso(${sale}.time),
  "store_reference": "1",
  "total": $money(${sale}.total),
  "items": ${items}.{
    "name": name,
    "quantity": $number(quantity),
    "total": $money(total)
  }[]
}`;

/** Matches no source until the author names one, so that an example does not apply to packets of other mappings. */
const match = { source_id: ['my-source'] };

/** The starting points of a new mapping: examples, each with a slip that it converts. */
export const templates: Readonly<Record<TemplateName, Template>> = {
  text: {
    contentType: 'text/plain',
    rules: { match, decode: { type: 'text' }, extract },
    expression: printedExpression,
    slip: printed,
  },
  escpos: {
    label: 'ESC/POS',
    contentType: 'application/octet-stream',
    rules: { match, decode: { type: 'escpos', codepage: 'cp858' }, extract },
    expression: printedExpression,
    slip: printed,
  },
  json: {
    label: 'JSON',
    contentType: 'application/json',
    rules: { match, decode: { type: 'json' } },
    expression: treeExpression('doc', 'doc.lines'),
    slip: `{
  "number": 4711, "time": "2026-03-14T12:30:00", "total": 8.2,
  "lines": [
    { "name": "Tea", "quantity": 2, "total": 5 },
    { "name": "Cake", "quantity": 1, "total": 3.2 }
  ]
}
`,
  },
  xml: {
    label: 'XML',
    contentType: 'application/xml',
    rules: { match, decode: { type: 'xml' } },
    expression: treeExpression('doc.sale', 'doc.sale.line'),
    slip: `<sale>
  <number>4711</number><time>2026-03-14T12:30:00</time><total>8.20</total>
  <line><name>Tea</name><quantity>2</quantity><total>5.00</total></line>
  <line><name>Cake</name><quantity>1</quantity><total>3.20</total></line>
</sale>
`,
  },
  csv: {
    label: 'CSV',
    contentType: 'text/csv',
    rules: { match, decode: { type: 'csv', header: true } },
    expression: `{
  "transaction_id": doc[0].number,
  "localtime": $iso(doc[0].time),
  "store_reference": "1",
  "total": $round($sum(doc.$money(total)), 2),
  "items": doc.{
    "name": name,
    "quantity": $number(quantity),
    "total": $money(total)
  }[]
}`,
    slip: `number,time,name,quantity,total
4711,2026-03-14T12:30:00,Tea,2,5.00
4711,2026-03-14T12:30:00,Cake,1,3.20
`,
  },
};
