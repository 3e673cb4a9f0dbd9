import jsonata from 'jsonata';
import { isFunctionLike, leave, newSequence, sequenceLengthMax } from './sequences';

/** Takes the arguments as they were evaluated, and the value at which the expression stands. */
export type LibraryFunction = (args: readonly unknown[], context: unknown) => unknown;

/** Those of JSONata that are pure, answer at once and take no functions. */
const names = [
  ...['sum', 'count', 'max', 'min', 'average', 'string', 'substring', 'substringBefore', 'substringAfter'],
  ...['lowercase', 'uppercase', 'length', 'trim', 'pad', 'join', 'formatNumber', 'formatBase', 'number'],
  ...['floor', 'ceil', 'round', 'abs', 'sqrt', 'power', 'boolean', 'not', 'keys', 'append', 'exists'],
  ...['merge', 'reverse', 'type', 'distinct'],
] as const;

interface Definition {
  readonly implementation: (...args: unknown[]) => unknown;
  readonly signature: { validate(args: readonly unknown[], context: unknown): readonly unknown[] };
}

function callable({ implementation, signature }: Definition): LibraryFunction {
  return (args, context) => {
    // They take what `this` says for the place of the call.
    const focus = {
      input: context,
      options: { sequence: sequenceLengthMax },
      createSequence: newSequence,
    };
    const result = implementation.apply(focus, [...signature.validate(args, context)]);
    return Array.isArray(result) && result.length > sequenceLengthMax ? leave() : result;
  };
}

let loading: Promise<ReadonlyMap<string, LibraryFunction>> | undefined;

/** The library's own functions with the library's own checks of their arguments. What they throw is for the interpreter. */
export function libraryFunctions(): Promise<ReadonlyMap<string, LibraryFunction>> {
  loading ??= (async () => {
    const source = `[${names.map((name) => `$${name}`).join()}]`;
    const definitions = (await jsonata(source).evaluate({})) as Definition[];
    return new Map(names.map((name, index) => [name, callable(definitions[index] as Definition)]));
  })();
  return loading;
}

/** Data can look like a function, which the interpreter would hand over in another form. */
export function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null || !isFunctionLike(value);
}
