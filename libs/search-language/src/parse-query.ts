import { invalidQuery, invalidQueryAt } from './invalid-query';
import { parseValue } from './parse-value';
import { Reader } from './reader';
import type { Clause, Conjunction, GroupClause, Modifier, Query } from './syntax';

/** The maximum size of a query in UTF-8 bytes. */
const bytesMax = 4096;
/** The maximum number of conditions, including those within groups. */
const conditionsMax = 64;
/** The maximum nesting depth of groups. */
const groupDepthMax = 4;

const fieldExpected = 'a field (path:value) is expected';
const pathCharacter = /[\p{L}\p{N}_-]/u;

/**
 * Parses a query by recursive descent. Each character is read a bounded number of times and the recursion is limited to
 * `groupDepthMax`, so that the cost of hostile input grows only linearly.
 * @throws ServiceError 400 `invalid_query`.
 */
export function parseQuery(text: string): Query {
  if (Buffer.byteLength(text) > bytesMax) throw invalidQuery(`it is longer than ${bytesMax} bytes`);
  // MongoDB rejects patterns with U+0000, and users do not type it.
  const zero = text.indexOf('\0');
  if (zero >= 0) throw invalidQueryAt('the character U+0000 is not allowed', text, zero);
  const reader = new Reader(text, conditionsMax);
  const clauses = parseClauses(reader, undefined, (lead) => parseField(reader, lead));
  return { text, clauses };
}

/** The operators before a clause. */
interface Lead {
  readonly start: number;
  readonly conjunction: Conjunction;
  readonly modifier: Modifier;
}

/**
 * Parses whitespace-separated clauses up to `close` or the end of the text. Queries and groups differ only in the form
 * of a clause.
 */
function parseClauses<C extends GroupClause>(
  reader: Reader,
  close: ')' | undefined,
  parseClause: (lead: Lead) => C,
): C[] {
  const clauses: C[] = [];
  for (;;) {
    const spaced = reader.skipSpace();
    if (reader.atEnd() || (close !== undefined && reader.peek() === close)) {
      if (clauses.length > 0) return clauses;
      throw close === undefined
        ? invalidQuery(fieldExpected)
        : reader.fault(reader.atEnd() ? 'the group is not closed' : 'a condition is expected');
    }
    if (clauses.length > 0 && !spaced) throw reader.fault('a space is expected');
    const start = reader.offset;
    const conjunction = parseConjunction(reader, clauses.length > 0, close);
    const modifier = parseModifier(reader, close);
    clauses.push(parseClause({ start, conjunction, modifier }));
  }
}

function parseConjunction(reader: Reader, allowed: boolean, close: string | undefined): Conjunction {
  const start = reader.offset;
  const word = ['AND', '&&', 'OR', '||'].find((candidate) => reader.takeKeyword(candidate, close));
  if (word === undefined) return undefined;
  if (!allowed) throw reader.fault(`a condition is expected before ${word}`, start);
  if (reader.atEnd() || reader.peek() === close)
    throw reader.fault(`a condition is expected after ${word}`, start);
  return word === 'AND' || word === '&&' ? 'and' : 'or';
}

function parseModifier(reader: Reader, close: string | undefined): Modifier {
  const start = reader.offset;
  const sign = reader.peek();
  if (sign === '+' || sign === '-' || sign === '!') {
    reader.take();
    if (reader.atEnd() || reader.atSpace() || reader.peek() === close) {
      throw reader.fault(`a condition is expected right after ${sign}`, start);
    }
    return sign === '+' ? 'must' : 'must_not';
  }
  if (!reader.takeKeyword('NOT', close)) return undefined;
  if (reader.atEnd() || reader.peek() === close)
    throw reader.fault('a condition is expected after NOT', start);
  return 'must_not';
}

function parseField(reader: Reader, lead: Lead): Clause {
  const path = parsePath(reader);
  const value = parseValue(reader, { group: false }, (start) => parseGroup(reader, start, groupDepthMax));
  return { at: { start: lead.start, end: reader.offset }, ...marks(lead), path, value };
}

function parsePath(reader: Reader): string {
  let path = '';
  let segmentIsEmpty = true;
  for (;;) {
    const character = reader.peek();
    if (character === '\\') path += reader.takeEscaped();
    else if (character === '.' && !segmentIsEmpty) path += reader.take();
    else if (pathCharacter.test(character) && !(character === '-' && path === '')) path += reader.take();
    else break;
    segmentIsEmpty = character === '.';
  }
  if (segmentIsEmpty || reader.peek() !== ':') throw invalidQuery(fieldExpected);
  reader.take();
  if (reader.atEnd() || reader.atSpace()) throw reader.fault(`a value is expected after ${path}:`);
  return path;
}

/** The reader is after the `(`, which is at `start`. */
function parseGroup(reader: Reader, start: number, depthLeft: number): readonly GroupClause[] {
  if (depthLeft === 0) throw reader.fault('groups are nested too deeply', start);
  const clauses = parseClauses(reader, ')', (lead): GroupClause => {
    const value = parseValue(reader, { group: true }, (inner) => parseGroup(reader, inner, depthLeft - 1));
    return { at: { start: lead.start, end: reader.offset }, ...marks(lead), value };
  });
  if (reader.atEnd()) throw reader.fault('the group is not closed', start);
  reader.take();
  return clauses;
}

const marks = ({ conjunction, modifier }: Lead) => ({ conjunction, modifier });
