import jsonata from 'jsonata';
import { isFunctionLike, fallBack, newSequence, sequenceLengthMax } from './sequences';

/** Called with the evaluated arguments and the context value of the expression. */
export type LibraryFunction = (args: readonly unknown[], context: unknown) => unknown;

/** The functions of JSONata that are pure, synchronous and take no functions as arguments. */
const names = [
  'sum',
  'count',
  'max',
  'min',
  'average',
  'string',
  'substring',
  'substringBefore',
  'substringAfter',
  'lowercase',
  'uppercase',
  'length',
  'trim',
  'pad',
  'join',
  'formatNumber',
  'formatBase',
  'number',
  'floor',
  'ceil',
  'round',
  'abs',
  'sqrt',
  'power',
  'boolean',
  'not',
  'keys',
  'append',
  'exists',
  'merge',
  'reverse',
  'type',
  'distinct',
] as const;

interface Definition {
  readonly implementation: (...args: unknown[]) => unknown;
  readonly signature: { validate(args: readonly unknown[], context: unknown): readonly unknown[] };
}

function callable({ implementation, signature }: Definition): LibraryFunction {
  return (args, context) => {
    // These functions read the context from `this`.
    const focus = {
      input: context,
      options: { sequence: sequenceLengthMax },
      createSequence: newSequence,
    };
    const result = implementation.apply(focus, [...signature.validate(args, context)]);
    return Array.isArray(result) && result.length > sequenceLengthMax ? fallBack() : result;
  };
}

let loading: Promise<ReadonlyMap<string, LibraryFunction>> | undefined;

/** JSONata's own functions, including its checks of their arguments. Their errors are reported by the interpreter. */
export function libraryFunctions(): Promise<ReadonlyMap<string, LibraryFunction>> {
  loading ??= (async () => {
    const source = `[${names.map((name) => `$${name}`).join()}]`;
    const definitions = (await jsonata(source).evaluate({})) as Definition[];
    return new Map(names.map((name, index) => [name, callable(definitions[index] as Definition)]));
  })();
  return loading;
}

/** False for data that looks like one of the interpreter's functions. The interpreter would treat it differently. */
export function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null || !isFunctionLike(value);
}
