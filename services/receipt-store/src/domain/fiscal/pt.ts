import type { ReturnedReceipt } from '@receipts/contracts';
import {
  amountFindings,
  codePath,
  fieldFinding,
  magnitude,
  malformed,
  missingCode,
  numberFindings,
  sumOf,
  type Fiscal,
  type FiscalFinding,
} from './finding';

type Members = ReadonlyMap<string, string>;

/** The members of a code; undefined if it is no list of `name:value`, or a name is repeated. */
function read(code: string): Members | undefined {
  const members = new Map<string, string>();
  for (const member of code.split('*')) {
    const end = member.indexOf(':');
    const name = member.slice(0, Math.max(0, end));
    if (!/^[A-Z]\d?$/.test(name) || members.has(name)) return undefined;
    members.set(name, member.slice(end + 1));
  }
  return members;
}

const amountPattern = /^-?\d{1,15}\.\d\d$/;
const taxSpace = /^(?:0|[A-Z]{2}(?:-[A-Z]{2})?)$/;
const mandatory: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['A', /^\d{9}$/],
  ['B', /^.{1,30}$/],
  ['C', /^(?:[A-Z]{2}|Desconhecido)$/],
  ['D', /^[A-Z]{2}$/],
  ['E', /^[NSARF]$/],
  ['F', /^\d{8}$/],
  ['G', /^[^ ]+ [^/^ ]+\/\d+$/],
  ['H', /^(?:0|[A-Za-z0-9]{8,}-\d+)$/],
  ['I1', taxSpace],
  ['N', amountPattern],
  ['O', amountPattern],
  ['Q', /^[A-Za-z0-9+/]{4}$/],
  ['R', /^\d{1,4}$/],
];
const optional: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['J1', taxSpace],
  ['K1', taxSpace],
  ['L', amountPattern],
  ['M', amountPattern],
  ['P', amountPattern],
  ['S', /^.{1,65}$/],
];
const regions = ['I', 'J', 'K'] as const;
/** Of a region: 2 exempt; 3, 5, 7 the taxable amounts by rate; 4, 6, 8 their taxes. */
const baseNames = regions.flatMap((region) => [2, 3, 5, 7].map((n) => `${region}${n}`));
const taxNames = regions.flatMap((region) => [4, 6, 8].map((n) => `${region}${n}`));
const known: ReadonlySet<string> = new Set(
  [...mandatory, ...optional].map(([name]) => name).concat(baseNames, taxNames),
);

/** Begins only where a number does: a code may have thousands of digits before its end. */
const lastNumber = (text: string) => /(?<!\d)\d+$/.exec(text)?.[0].replace(/^0+(?=\d)/, '');

function memberFindings(members: Members): FiscalFinding[] {
  const amounts = [...baseNames, ...taxNames].map((name) => [name, amountPattern] as const);
  const present = [...optional, ...amounts].filter(([name]) => members.has(name));
  const wrong = malformed(
    [...mandatory, ...present].map(([name, pattern]) => [name, members.get(name), pattern] as const),
  );
  const unknown = [...members.keys()].filter((name) => !known.has(name));
  return [...wrong, ...unknown.map((name) => fieldFinding(codePath, 'A to S', name))];
}

const agree = (expected: string, actual: string, path = codePath) =>
  expected === actual ? [] : [fieldFinding(path, expected, actual)];

/** The number of the document appears three times: in G, whose type is D, and in H. */
function documentFindings(of: (name: string) => string): FiscalFinding[] {
  const [document, atcud] = [of('G'), of('H')];
  const type = document.slice(0, document.indexOf(' '));
  return [
    ...agree(of('D'), type),
    ...(atcud === '0' || lastNumber(atcud) === lastNumber(document)
      ? []
      : [fieldFinding(codePath, document, atcud)]),
  ];
}

const atcudPattern = /ATCUD: ?(\S+)/;
/** "YhGV-Processado por programa certificado n.º 9999/AT" */
const programPattern = /^(\S{4})-Process\w+ por programa certificado n\.?[º°o.]* ?(\d+)\/AT/i;

function textFindings({ texts }: Fiscal, of: (name: string) => string): FiscalFinding[] {
  return texts.flatMap((text, n) => {
    const path = `/fiscal/texts/${n}`;
    const [, atcud] = atcudPattern.exec(text) ?? [];
    const [, digest, program] = programPattern.exec(text) ?? [];
    return [
      ...(atcud === undefined ? [] : agree(of('H'), atcud, path)),
      ...(digest === undefined ? [] : agree(of('Q'), digest, path)),
      ...(program === undefined ? [] : agree(of('R'), program, path)),
    ];
  });
}

/** The taxes of the receipt, or of its items and charges; undefined if it states none. */
function taxesOf({ taxes, vat, items, charges }: ReturnedReceipt): readonly number[] | undefined {
  const amounts = (all: readonly { readonly amount: number }[]) => all.map(({ amount }) => amount);
  if (taxes.length > 0) return amounts(taxes);
  if (vat.length > 0) return amounts(vat);
  const ofItems = items.map((item) => (item.taxes.length > 0 || !item.vat ? item.taxes : [item.vat]));
  const lines = [...ofItems, ...charges.map((charge) => charge.taxes)];
  return lines.every((line) => line.length > 0) ? amounts(lines.flat()) : undefined;
}

/** Credit notes have absolute amounts in the code, and usually negative ones on the receipt. */
function moneyFindings(receipt: ReturnedReceipt, members: Members): FiscalFinding[] {
  const amount = (name: string) => sumOf([members.get(name) as string]);
  const summed = (names: readonly string[]) => sumOf(names.flatMap((name) => members.get(name) ?? []));
  const isCredit = members.get('D') === 'NC';
  const taxes = taxesOf(receipt);
  const posted = (amounts: readonly number[]) => (isCredit ? magnitude(sumOf(amounts)) : sumOf(amounts));
  return [
    ...amountFindings(summed([...taxNames, 'M']), amount('N')),
    ...amountFindings(summed([...baseNames, 'L', 'N']), amount('O')),
    ...amountFindings(posted([receipt.total]), amount('O')),
    ...(taxes === undefined ? [] : amountFindings(posted(taxes), amount('N'))),
  ];
}

/**
 * Checks the code of a Portuguese document. Its members are described in the technical specification of the tax
 * authority that Portaria 195/2020 prescribes ("Especificações Técnicas - Código QR"), version 1.0.
 */
export function checkPt(receipt: ReturnedReceipt, fiscal: Fiscal): FiscalFinding[] {
  if (fiscal.qr === null) return missingCode('A:…*B:…');
  const members = read(fiscal.qr);
  if (!members) return [fieldFinding(codePath, 'A:…*B:…', fiscal.qr)];
  const wrong = memberFindings(members);
  if (wrong.length > 0) return wrong;
  const of = (name: string) => members.get(name) ?? '';
  const date = receipt.localtime.slice(0, 'YYYY-MM-DD'.length).replaceAll('-', '');
  return [
    ...agree(date, of('F')),
    ...documentFindings(of),
    ...textFindings(fiscal, of),
    ...moneyFindings(receipt, members),
    ...numberFindings(fiscal.number, of('G')),
  ];
}
