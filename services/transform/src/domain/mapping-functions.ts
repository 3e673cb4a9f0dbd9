import { ConversionError, faultOf } from './faults/conversion-fault';
import { formatFault, isZone, localTimeOf, readTime, type TimeContext } from './iso-time';
import { readMoney } from './money';
import { languageOfMonths } from './month-names';

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

/** If the first argument contains these tokens and no digits, it is a format, and the time is missing. */
const formatPattern = /^[^\d]*(?:YY|BBBB|MM|DD|HH|hh)[^\d]*$/;
/** Times contain digits; formats contain digits only in brackets. */
const hasDigits = (text: string) => /\d/.test(text.replace(/\[[^\]]*\]/g, ''));

const textsOf = (given: readonly unknown[]) =>
  given.filter((value) => value !== undefined && value !== null && value !== '').map(String);

/** The time zone and the locale after the format. */
function contextOf(rest: readonly string[]): TimeContext {
  const context: { zone?: string; language?: string } = {};
  for (const text of rest) {
    const language = languageOfMonths(text);
    if (isZone(text) && context.zone === undefined) context.zone = text;
    else if (language !== undefined && context.language === undefined) context.language = language;
    else throw functionFailed(`$iso knows no time zone or language ${shown(text)}`);
  }
  return context;
}

/** `$iso(date, time?, format?, zone?, locale?)`; the format tells where the text ends. */
function iso(...given: unknown[]): string | undefined {
  const args = textsOf(given);
  const end = args.findIndex((text, index) =>
    index === 0 ? formatPattern.test(text) : !hasDigits(text) || isZone(text),
  );
  const texts = end < 0 ? args : args.slice(0, end);
  const rest = end < 0 ? [] : args.slice(end);
  if (texts.length === 0) return undefined;
  const format = rest[0] !== undefined && !isZone(rest[0]) ? rest.shift() : undefined;
  const text = texts.join(' ');
  const fault = format === undefined ? undefined : formatFault(format);
  const time = fault === undefined ? readTime(text, format, contextOf(rest)) : undefined;
  if (time !== undefined) return time;
  if (format === undefined) throw functionFailed(`$iso cannot read ${shown(text)}`);
  throw functionFailed(
    `$iso cannot read ${shown(text)} as ${shown(format)}${fault === undefined ? '' : `: ${fault}`}`,
  );
}

/** @param storeZone the time zone of the packet's store */
function local(instant: unknown, zone: unknown, storeZone: string | undefined): string | undefined {
  if (instant === undefined || instant === null || instant === '') return undefined;
  const named = zone === undefined || zone === null || zone === '' ? storeZone : zone;
  if (typeof named !== 'string' || !isZone(named))
    throw functionFailed(`$local knows no time zone ${shown(named)}`);
  const time = typeof instant === 'string' ? localTimeOf(instant, named) : undefined;
  if (time === undefined)
    throw functionFailed(`$local cannot read ${shown(instant)} as an instant with an offset`);
  return time;
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

/**
 * The functions that mapping expressions can call in addition to JSONata's own.
 * @param storeZone the time zone of the store of the packet being converted
 */
export function mappingFunctions(
  storeZone: () => string | undefined = () => undefined,
): ReadonlyMap<string, MappingFunction> {
  return new Map<string, MappingFunction>([
    ['money', money],
    ['iso', iso],
    ['local', (instant, zone) => local(instant, zone, storeZone())],
    ['lookup', lookup],
  ]);
}
