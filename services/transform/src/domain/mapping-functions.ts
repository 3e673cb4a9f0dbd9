import { ConversionError, faultOf } from './faults/conversion-fault';
import { formatFault, readTime } from './iso-time';
import { readMoney } from './money';

export function functionFailed(message: string): ConversionError {
  return new ConversionError('mapping_failed', [faultOf('/transform/expression', 'helper_failed', message)]);
}

function shown(value: unknown): string {
  return JSON.stringify(value).slice(0, 100);
}

function money(value: unknown, decimal?: unknown): number | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'number') return value;
  const amount =
    typeof value === 'string'
      ? readMoney(value, typeof decimal === 'string' ? decimal : undefined)
      : undefined;
  if (amount === undefined) throw functionFailed(`$money cannot read ${shown(value)}`);
  return amount;
}

/** If the only argument contains these tokens, it is a format, and the time is missing. */
const formatPattern = /^[^\d]*(?:YY|MM|DD|HH|hh)[^\d]*$/;
/** Times contain digits; formats contain digits only in brackets. */
const hasDigits = (text: string) => /\d/.test(text.replace(/\[[^\]]*\]/g, ''));

/** `$iso(text)`, `$iso(text, format)` or `$iso(date, time, format)`. */
function iso(...given: unknown[]): string | undefined {
  const args = given.filter((value) => value !== undefined && value !== null && value !== '').map(String);
  const last = args.at(-1);
  const isFormat = last !== undefined && (args.length > 1 ? !hasDigits(last) : formatPattern.test(last));
  const format = isFormat ? args.pop() : undefined;
  if (args.length === 0) return undefined;
  const text = args.join(' ');
  const time = readTime(text, format);
  if (time !== undefined) return time;
  if (format === undefined) throw functionFailed(`$iso cannot read ${shown(text)}`);
  const fault = formatFault(format);
  throw functionFailed(
    `$iso cannot read ${shown(text)} as ${shown(format)}${fault === undefined ? '' : `: ${fault}`}`,
  );
}

/** Looks up the value of a key in a table. Surrounding spaces and case are ignored unless they distinguish two keys. */
function lookup(table: unknown, key: unknown, otherwise?: unknown): unknown {
  if (Array.isArray(table)) {
    const found = table.map((member) => lookup(member, key)).filter((value) => value !== undefined);
    return found.length === 0 ? otherwise : found.length === 1 ? found[0] : found;
  }
  if (typeof table !== 'object' || table === null || key === undefined || key === null) return otherwise;
  const name = typeof key === 'string' ? key : JSON.stringify(key);
  if (Object.hasOwn(table, name)) return (table as Record<string, unknown>)[name];
  const folded = name.trim().toLowerCase();
  const entry = Object.entries(table).find(([candidate]) => candidate.trim().toLowerCase() === folded);
  return entry ? entry[1] : otherwise;
}

type MappingFunction = (...args: unknown[]) => unknown;

/** The functions that mapping expressions can call in addition to JSONata's own. */
export const mappingFunctions: ReadonlyMap<string, MappingFunction> = new Map<string, MappingFunction>([
  ['money', money],
  ['iso', iso],
  ['lookup', lookup],
]);
