import jsonata from 'jsonata';
import type { Closure } from './closures/closure';
import { compileClosures } from './closures/compile-closures';
import { libraryFunctions } from './closures/library-functions';
import { fallBack, sequenceLengthMax } from './closures/sequences';
import { ConversionError, faultOf } from './faults/conversion-fault';
import { CpuBudget } from './cpu-budget';
import { functionFailed, mappingFunctions } from './mapping-functions';
import { LinearRegExp } from './patterns';
import { slowness } from './slowness';

/** The maximum depth of recursion in an expression. */
const stackDepthMax = 500;

type Helpers = ReturnType<typeof mappingFunctions>;

export interface Expression {
  /** @param storeZone the time zone of the packet's store, for `$local` */
  evaluate(input: unknown, storeZone?: string): Promise<unknown>;
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
/** The error codes for calling something that is not a function. */
const notFunctionCodes: ReadonlySet<string> = new Set(['T1005', 'T1006']);

/** Returns the name of the missing function: JSONata only reports that something is not a function. */
function missingFunction(source: string, position = 0): string {
  const name = /\$?\w+(?=\s*\($)/.exec(source.slice(0, position))?.[0];
  return name === undefined ? 'the called value is not a function' : `there is no function ${name}`;
}

/** JSONata throws plain objects, and passes on the errors of helpers. */
function failureOf(source: string, timeoutMs: number, error: unknown): ConversionError {
  if (error instanceof ConversionError) return error;
  const { code, message, position } = (
    typeof error === 'object' && error !== null ? error : {}
  ) as JsonataFailure;
  if (code === timeoutCode) return tookTooLong(timeoutMs);
  const isMissing = code !== undefined && notFunctionCodes.has(code);
  const text = isMissing ? missingFunction(source, position) : (message ?? 'the expression failed');
  const fault = faultOf('/transform/expression', code ?? 'expression_failed', text, lineAt(source, position));
  return new ConversionError('mapping_failed', [fault]);
}

function tookTooLong(timeoutMs: number): ConversionError {
  const message = `the expression took longer than ${timeoutMs} ms`;
  return new ConversionError('timeout', [faultOf('/transform/expression', timeoutCode, message)]);
}

/**
 * JSONata compares its `timeout` with the wall clock at each step. Any elapsed time exceeds this value, so it ends the
 * evaluation.
 */
const timeIsOver = Number.MIN_VALUE;
const timeIsLeft = 0;

/**
 * Compiles an expression. It is evaluated by closures if they support it, in a tenth of the interpreter's time.
 * Unsupported cases, including all errors, are evaluated by the interpreter from the start, which is safe because
 * expressions have no side effects.
 * @param timeoutMs the limit of CPU time
 * @throws ConversionError if the expression does not parse.
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
  let zone: string | undefined;
  const helpers = mappingFunctions(() => zone);
  for (const [name, helper] of helpers) compiled.registerFunction(name, helper);
  compiled.registerFunction('eval', () => {
    throw functionFailed('$eval is not available');
  });
  const tick = () => {
    isOver ||= budget?.isSpent() === true;
    if (isOver) fallBack();
  };
  let closures: Promise<Closure | undefined> | undefined;
  return {
    async evaluate(input, storeZone) {
      zone = storeZone;
      budget = new CpuBudget(timeoutMs, slowness);
      isOver = false;
      closures ??= closuresOf(compiled, helpers);
      const closure = await closures;
      if (closure) {
        try {
          return closure(input, { root: input, slots: [], tick });
        } catch {
          // The interpreter evaluates it, and reports the error if there is one.
        }
      }
      try {
        return (await compiled.evaluate(input)) as unknown;
      } catch (error) {
        throw failureOf(source, timeoutMs, error);
      }
    },
  };
}

async function closuresOf(compiled: jsonata.Expression, helpers: Helpers): Promise<Closure | undefined> {
  return compileClosures(compiled.ast(), { helpers, library: await libraryFunctions() });
}
