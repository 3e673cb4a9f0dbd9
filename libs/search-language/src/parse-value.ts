import type { Reader } from './reader';
import type { ComparisonValue, GroupClause, PhraseValue, RangeValue, Span, TermValue, Value } from './syntax';

interface ValueContext {
  /** In a group, an unescaped `:` is rejected, because a field cannot start there. */
  readonly group: boolean;
}

type ParseGroup = (start: number) => readonly GroupClause[];

const refusedInWords = new Set('()[]{}"^~*?');

/** Parses a value, which follows `path:` or belongs to a group. */
export function parseValue(reader: Reader, context: ValueContext, parseGroup: ParseGroup): Value {
  const start = reader.offset;
  const value = parseOne(reader, context, parseGroup);
  const next = reader.peek();
  if (next !== '' && !reader.atSpace() && !(context.group && next === ')')) throw unexpected(reader);
  if (value.kind !== 'group') reader.countCondition(start);
  return value;
}

function parseOne(reader: Reader, context: ValueContext, parseGroup: ParseGroup): Value {
  const start = reader.offset;
  switch (reader.peek()) {
    case '(': {
      reader.take();
      const clauses = parseGroup(start);
      return { kind: 'group', at: from(reader, start), clauses };
    }
    case '[':
    case '{':
      return parseRange(reader);
    case '"':
      return parsePhrase(reader);
    case '*':
      return parseExists(reader, context);
    case '>':
    case '<':
      return parseComparison(reader, context) ?? parseTerm(reader, context);
    default:
      return parseTerm(reader, context);
  }
}

function parseExists(reader: Reader, context: ValueContext): Value {
  const start = reader.offset;
  reader.take();
  const next = reader.peek();
  if (next === '' || reader.atSpace() || (context.group && next === ')')) {
    return { kind: 'exists', at: from(reader, start) };
  }
  throw reader.fault('* is allowed only alone or at the end of a word', start);
}

/** `>` or `>=` without a value is parsed as a word, which only text fields support. */
function parseComparison(reader: Reader, context: ValueContext): ComparisonValue | undefined {
  const start = reader.offset;
  const sign = reader.take();
  const operator = reader.peek() === '=' ? `${sign}${reader.take()}` : sign;
  const text = parseWord(reader, context);
  if (text === '') {
    reader.offset = start;
    return undefined;
  }
  return {
    kind: 'comparison',
    at: from(reader, start),
    operator: operator as ComparisonValue['operator'],
    text,
  };
}

function parseRange(reader: Reader): RangeValue {
  const start = reader.offset;
  const includesLow = reader.take() === '[';
  reader.skipSpace();
  const low = parseBound(reader, start);
  const spaced = reader.skipSpace();
  if (reader.atEnd()) throw reader.fault('the range is not closed', start);
  if (!spaced || !reader.takeKeyword('TO', undefined)) throw reader.fault('TO is expected in the range');
  const high = parseBound(reader, start);
  reader.skipSpace();
  const close = reader.take();
  if (close === '') throw reader.fault('the range is not closed', start);
  if (close !== ']' && close !== '}') throw reader.fault('] or } is expected', reader.offset - close.length);
  return { kind: 'range', at: from(reader, start), low, high, includesLow, includesHigh: close === ']' };
}

/** A bound of a range. Undefined for `*`, the open bound. */
function parseBound(reader: Reader, rangeStart: number): string | undefined {
  if (reader.peek() === '"') return parseString(reader);
  const start = reader.offset;
  let text = '';
  for (;;) {
    const character = reader.peek();
    if (character === '') throw reader.fault('the range is not closed', rangeStart);
    if (reader.atSpace() || character === ']' || character === '}') break;
    text += character === '\\' ? reader.takeEscaped() : reader.take();
  }
  if (reader.offset === start) throw reader.fault('a bound of the range is expected');
  return reader.text.slice(start, reader.offset) === '*' ? undefined : text;
}

function parsePhrase(reader: Reader): PhraseValue {
  const start = reader.offset;
  const text = parseString(reader);
  let distance: number | undefined;
  if (reader.peek() === '~') {
    reader.take();
    distance = Number(takeDigits(reader));
  }
  return { kind: 'phrase', at: from(reader, start), text, distance };
}

function parseString(reader: Reader): string {
  const start = reader.offset;
  reader.take();
  let text = '';
  for (;;) {
    const character = reader.peek();
    if (character === '') throw reader.fault('the quotation is not closed', start);
    if (character === '"') break;
    text += character === '\\' ? reader.takeEscaped() : reader.take();
  }
  reader.take();
  return text;
}

function parseTerm(reader: Reader, context: ValueContext): TermValue {
  const start = reader.offset;
  const text = parseWord(reader, context);
  const source = reader.text.slice(start, reader.offset);
  if (text === '') throw unexpected(reader);
  if (source.length > 1 && source.startsWith('/') && source.endsWith('/') && !source.endsWith('\\/')) {
    throw reader.fault('regular expressions are not supported', start);
  }
  const prefix = reader.peek() === '*';
  if (prefix) reader.take();
  const edits = parseEdits(reader);
  if (prefix && edits === undefined && !endsHere(reader, context)) {
    throw reader.fault('* is allowed only alone or at the end of a word', reader.offset - 1);
  }
  return { kind: 'term', at: from(reader, start), text, prefix, edits };
}

function parseEdits(reader: Reader): TermValue['edits'] {
  if (reader.peek() !== '~') return undefined;
  const start = reader.offset;
  reader.take();
  const digits = takeDigits(reader);
  if (digits === '') return 'auto';
  if (digits === '0' || digits === '1' || digits === '2') return Number(digits) as 0 | 1 | 2;
  throw reader.fault('~ supports only 0, 1 or 2 after a word', start);
}

function parseWord(reader: Reader, context: ValueContext): string {
  let text = '';
  for (;;) {
    const character = reader.peek();
    if (character === '' || reader.atSpace() || refusedInWords.has(character)) return text;
    if (character === ':' && context.group) {
      throw reader.fault(': is allowed in a group only quoted or after \\');
    }
    text += character === '\\' ? reader.takeEscaped() : reader.take();
  }
}

function takeDigits(reader: Reader): string {
  let digits = '';
  while (reader.peek() >= '0' && reader.peek() <= '9') digits += reader.take();
  return digits;
}

function endsHere(reader: Reader, context: ValueContext): boolean {
  return reader.atEnd() || reader.atSpace() || (context.group && reader.peek() === ')');
}

function unexpected(reader: Reader): Error {
  const character = reader.peek();
  if (character === '^') return reader.fault('boosts (^) are not supported');
  if (character === '?') return reader.fault('the wildcard ? is not supported');
  if (character === '*') return reader.fault('* is allowed only alone or at the end of a word');
  return reader.fault(character === '' ? 'a value is expected' : `${character} is not expected`);
}

const from = (reader: Reader, start: number): Span => ({ start, end: reader.offset });
