import jsonata from 'jsonata';
import { ConversionError, faultOf } from './faults/conversion-fault';
import { CpuBudget } from './cpu-budget';
import { readTime } from './iso-time';
import { readMoney } from './money';
import { LinearRegExp } from './patterns';
import { slowness } from './slowness';

/** The deepest recursion and the longest sequence that an expression may make. */
const stackDepthMax = 500;
const sequenceLengthMax = 100_000;

export interface Expression {
  evaluate(input: unknown): Promise<unknown>;
}

interface JsonataFailure {
  readonly code?: string;
  readonly message?: string;
  readonly position?: number;
}

function lineAt(source: string, position: number | undefined): number | undefined {
  return position === undefined ? undefined : source.slice(0, position).split('\n').length;
}

const timeoutCode = 'D1012';

/** JSONata throws plain objects, and whatever a helper threw. */
function failureOf(source: string, timeoutMs: number, error: unknown): ConversionError {
  if (error instanceof ConversionError) return error;
  const { code, message, position } = (
    typeof error === 'object' && error !== null ? error : {}
  ) as JsonataFailure;
  if (code === timeoutCode) return tookTooLong(timeoutMs);
  const text = typeof message === 'string' ? message : 'the expression failed';
  const fault = faultOf('/transform/expression', code ?? 'expression_failed', text, lineAt(source, position));
  return new ConversionError('mapping_failed', [fault]);
}

function tookTooLong(timeoutMs: number): ConversionError {
  const message = `the expression took longer than ${timeoutMs} ms`;
  return new ConversionError('timeout', [faultOf('/transform/expression', timeoutCode, message)]);
}

function helperFailed(message: string): ConversionError {
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
  if (amount === undefined) throw helperFailed(`$money can not read ${shown(value)}`);
  return amount;
}

const formatPattern = /^[^\d]*(?:YY|MM|DD|HH|hh)[^\d]*$/;

/** `$iso(text)`, `$iso(text, format)` or `$iso(date, time, format)`. */
function iso(...given: unknown[]): string | undefined {
  const args = given.filter((value) => value !== undefined && value !== null && value !== '').map(String);
  const last = args.at(-1);
  const format = last !== undefined && formatPattern.test(last) ? args.pop() : undefined;
  if (args.length === 0) return undefined;
  const text = args.join(' ');
  const time = readTime(text, format);
  if (time === undefined) {
    throw helperFailed(
      `$iso can not read ${shown(text)}${format === undefined ? '' : ` as ${shown(format)}`}`,
    );
  }
  return time;
}

/** A table's value for a key; spaces around and case do not matter unless they tell two keys apart. */
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

/** JSONata compares its `timeout` with the wall clock at each step; any elapsed time is more than this. */
const timeIsOver = Number.MIN_VALUE;
const timeIsLeft = 0;

/**
 * @param timeoutMs of processor time
 * @throws ConversionError when the expression does not parse.
 */
export function compileExpression(source: string, timeoutMs: number): Expression {
  let compiled: jsonata.Expression;
  let budget: CpuBudget | undefined;
  let isOver = false;
  try {
    compiled = jsonata(source, {
      RegexEngine: LinearRegExp as unknown as RegExpConstructor,
      get timeout() {
        isOver ||= budget?.isSpent() === true;
        return isOver ? timeIsOver : timeIsLeft;
      },
      stack: stackDepthMax,
      sequence: sequenceLengthMax,
    });
  } catch (error) {
    throw failureOf(source, timeoutMs, error);
  }
  compiled.registerFunction('money', money);
  compiled.registerFunction('iso', iso);
  compiled.registerFunction('lookup', lookup);
  compiled.registerFunction('eval', () => {
    throw helperFailed('$eval is not available');
  });
  return {
    async evaluate(input) {
      budget = new CpuBudget(timeoutMs, slowness);
      isOver = false;
      try {
        return (await compiled.evaluate(input)) as unknown;
      } catch (error) {
        throw failureOf(source, timeoutMs, error);
      }
    },
  };
}
