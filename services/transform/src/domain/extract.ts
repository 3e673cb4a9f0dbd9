import type { FieldRule, MappingExtract, TableRule } from '@receipts/contracts';
import { ConversionError, faultOf, type ConversionFault } from './faults/conversion-fault';
import { compilePattern, type Pattern, type PatternMatch } from './patterns';

/** Finds fields and tables in the lines of a receipt. */
export interface Extractor {
  extract(lines: readonly string[]): Extracted;
}

export interface Extracted {
  readonly fields: Readonly<Record<string, FieldValue>>;
  readonly tables: Readonly<Record<string, readonly Row[]>>;
  /** The tables that contain lines which neither `row` nor `continuation` matches. */
  readonly unmatched: Readonly<Record<string, Unmatched>>;
}

interface Unmatched {
  readonly count: number;
  /** The text of the first such line. */
  readonly line: string;
}

type FieldValue = string | readonly string[] | Readonly<Record<string, string>>;
type Row = Record<string, string | string[]>;

interface CompiledField {
  readonly name: string;
  readonly pattern: Pattern;
  readonly last: boolean;
  readonly groups?: readonly string[];
}

interface CompiledTable {
  readonly name: string;
  readonly from: Pattern | undefined;
  readonly to: Pattern | undefined;
  readonly row: Pattern;
  readonly continuation: Pattern | undefined;
  readonly repeat: boolean;
}

type Compile = (path: string, source: string) => Pattern | undefined;

/**
 * The value of a match: named groups as an object, one group as its text, several groups as a list, and the whole match
 * if there are no groups.
 */
function valueOf(match: PatternMatch, names: readonly string[] | undefined, hasNames: boolean): FieldValue {
  if (names) {
    const value: Record<string, string> = {};
    names.forEach((name, index) => {
      const text = match.groups[index];
      if (text !== undefined) value[name] = text.trim();
    });
    return value;
  }
  if (hasNames) return match.named;
  if (match.groups.length === 0) return match.text.trim();
  if (match.groups.length === 1) return (match.groups[0] ?? '').trim();
  return match.groups.map((text) => (text ?? '').trim());
}

function findField(field: CompiledField, lines: readonly string[]): FieldValue | undefined {
  const hasNames = field.pattern.groupNames.length > 0;
  const order = field.last ? [...lines].reverse() : lines;
  for (const line of order) {
    const match = field.pattern.match(line);
    if (match) return valueOf(match, field.groups, hasNames);
  }
  return undefined;
}

/** A continuation line extends the previous row; a group that matches again becomes a list. */
function addTo(row: Row, named: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(named)) {
    const known = row[name];
    row[name] = known === undefined ? text : [...(Array.isArray(known) ? known : [known]), text];
  }
}

interface FoundRows {
  readonly rows: readonly Row[];
  readonly unmatched: Unmatched | undefined;
}

/** The lines of a table: after the line that `from` matches, before the next line that `to` matches. */
function linesInside({ from, to }: CompiledTable, lines: readonly string[]) {
  const start = from ? lines.findIndex((line) => from.test(line)) + 1 : 0;
  if (from && start === 0) return { inside: [], isEnded: true };
  const end = to ? lines.findIndex((line, index) => index >= start && to.test(line)) : -1;
  return { inside: lines.slice(start, end < 0 ? undefined : end), isEnded: end >= 0 };
}

/**
 * The rows of a table. Without `from`, unmatched lines count from its first row, and without an end to its last, so that
 * the rest of the slip does not count.
 */
function findRows(table: CompiledTable, lines: readonly string[]): FoundRows {
  const { inside, isEnded } = linesInside(table, lines);
  const rows: Row[] = [];
  const unmatched: string[] = [];
  /** The unmatched lines before the last row. */
  let enclosed = 0;
  for (const line of inside) {
    const first = table.row.match(line);
    const last = rows.at(-1);
    if (first) {
      const matches = table.repeat ? table.row.matchAll(line) : [first];
      for (const { named } of matches) rows.push({ ...named });
      enclosed = unmatched.length;
      continue;
    }
    const more = last && table.continuation?.match(line);
    if (last && more) addTo(last, more.named);
    else if (line !== '' && (last ?? table.from)) unmatched.push(line);
  }
  const count = isEnded ? unmatched.length : enclosed;
  const [line = ''] = unmatched;
  return { rows, unmatched: count > 0 ? { count, line } : undefined };
}

function compileField(name: string, rule: FieldRule, compile: Compile, faults: ConversionFault[]) {
  const path = `/extract/fields/${name}`;
  const pattern = compile(`${path}/line`, rule.line);
  if (!pattern) return undefined;
  if (rule.groups && rule.groups.length > pattern.groupCount) {
    faults.push(faultOf(`${path}/groups`, 'invalid_groups', 'lists more groups than the pattern has'));
  }
  return { name, pattern, last: rule.last ?? false, ...(rule.groups && { groups: rule.groups }) };
}

function compileTable(name: string, rule: TableRule, compile: Compile, faults: ConversionFault[]) {
  const path = `/extract/tables/${name}`;
  const optional = (part: 'from' | 'to' | 'continuation') =>
    rule[part] === undefined ? undefined : compile(`${path}/${part}`, rule[part]);
  const row = compile(`${path}/row`, rule.row);
  if (row && row.groupNames.length === 0) {
    faults.push(faultOf(`${path}/row`, 'no_groups', 'must have named groups, (?<name>...)'));
  }
  const [from, to, continuation] = [optional('from'), optional('to'), optional('continuation')];
  return row && { name, row, from, to, continuation, repeat: rule.repeat ?? false };
}

/** Removes the prefix of RE2's messages, such as ``error parsing regexp: missing closing ): `(` ``. */
function patternFault(error: unknown): string {
  const [, reason] = /^error parsing regexp: (.*)$/s.exec(error instanceof Error ? error.message : '') ?? [];
  return `is not a valid regular expression${reason === undefined ? '' : `: ${reason}`}`;
}

/** @throws ConversionError with every pattern that does not compile. */
export function compileExtract(rules: MappingExtract = {}): Extractor {
  const faults: ConversionFault[] = [];
  const compile: Compile = (path, source) => {
    try {
      return compilePattern(source);
    } catch (error) {
      faults.push(faultOf(path, 'invalid_pattern', patternFault(error)));
      return undefined;
    }
  };
  const fields = Object.entries(rules.fields ?? {}).map(([name, rule]) =>
    compileField(name, rule, compile, faults),
  );
  const tables = Object.entries(rules.tables ?? {}).map(([name, rule]) =>
    compileTable(name, rule, compile, faults),
  );
  if (faults.length > 0) throw new ConversionError('mapping_failed', faults);
  return {
    extract(lines) {
      const found: Record<string, FieldValue> = {};
      for (const field of fields) {
        const value = field && findField(field, lines);
        if (field && value !== undefined) found[field.name] = value;
      }
      const rows: Record<string, readonly Row[]> = {};
      const unmatched: Record<string, Unmatched> = {};
      for (const table of tables) {
        if (!table) continue;
        const result = findRows(table, lines);
        rows[table.name] = result.rows;
        if (result.unmatched) unmatched[table.name] = result.unmatched;
      }
      return { fields: found, tables: rows, unmatched };
    },
  };
}
