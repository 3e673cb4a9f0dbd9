import { isPlain, type LibraryFunction } from './library-functions';
import { operators } from './operators';
import type { Closure } from './closure';
import { filterBy, memberAt, pathOf, stepOf, type FilterClosure } from './paths';
import {
  isNumeric,
  isTrue,
  isTuple,
  isWrapper,
  fallBack,
  memberOf,
  resultOf,
  sequenceLengthMax,
} from './sequences';
import {
  isBare,
  isKnown,
  isReserved,
  isScalar,
  type ArrayMaker,
  type Binary,
  type Block,
  type Call,
  type Condition,
  type Filter,
  type Node,
  type ObjectMaker,
  type Path,
} from './syntax-tree';

/** Thrown for an expression that only the interpreter supports. */
class Unknown extends Error {}

function unknown(): never {
  throw new Unknown();
}

/**
 * The interpreter limits the depth of nodes being evaluated, counting those of all members of an object, to 500.
 * Smaller trees cannot reach that limit.
 */
const nodesMax = 400;

export interface Functions {
  readonly library: ReadonlyMap<string, LibraryFunction>;
  /** These functions are called without checking their arguments. */
  readonly helpers: ReadonlyMap<string, (...args: unknown[]) => unknown>;
}

/** The variables in scope, with their slots. */
type Scope = ReadonlyMap<string, number>;

class Compiler {
  private nodes = 0;
  private slots = 0;

  constructor(private readonly functions: Functions) {}

  compile(node: object, scope: Scope): Closure {
    if (!isKnown(node) || ++this.nodes > nodesMax) unknown();
    const evaluate = this.plain(node, scope);
    const filters = (node.predicate ?? []).map((filter) => this.filter(filter, scope));
    const keepArray = node.keepArray === true;
    if (filters.length === 0 && !keepArray && isScalar(node)) return evaluate;
    return (input, run) => {
      let value = evaluate(input, run);
      for (const filter of filters) value = filter(value, run);
      return typeof value === 'object' && value !== null ? resultOf(value, keepArray) : value;
    };
  }

  private plain(node: Node, scope: Scope): Closure {
    switch (node.type) {
      case 'string':
      case 'number':
      case 'value':
        return () => node.value;
      case 'name':
        return (input) => memberOf(input, node.value);
      case 'variable':
        return this.variable(node.value, scope);
      case 'path':
        return this.path(node, scope);
      case 'unary':
        if (node.value === '{') return this.object(node, scope);
        if (node.value === '[') return this.array(node, scope);
        return this.negation(this.compile(node.expression, scope));
      case 'binary':
        return this.binary(node, scope);
      case 'condition':
        return this.condition(node, scope);
      case 'block':
        return this.block(node, scope);
      case 'function':
        return this.call(node, scope);
      case 'bind':
        // Outside of a block, the effect of a binding depends on the interpreter's order of evaluation.
        return unknown();
    }
  }

  private variable(name: string, scope: Scope): Closure {
    if (name === '') return (input) => (isWrapper(input) ? fallBack() : input);
    if (name === '$') return (_, { root }) => root;
    const slot = scope.get(name) ?? unknown();
    return (_, { slots }) => slots[slot];
  }

  private path(node: Path, scope: Scope): Closure {
    const steps = node.steps.map((step, index) => {
      const filters = (step.stages ?? []).map((filter) => this.filter(filter, scope));
      return stepOf(this.compile(step, scope), filters, index === node.steps.length - 1);
    });
    return pathOf(node, steps);
  }

  /** Compiled for single objects only: for a list, the interpreter groups its members. */
  private object(node: ObjectMaker, scope: Scope): Closure {
    const names = node.lhs.map(
      ([key]) => (key.type === 'string' && isBare(key) ? key.value : unknown()) as string,
    );
    if (new Set(names).size < names.length || names.some((name) => isReserved(name))) unknown();
    const values = node.lhs.map(([, value]) => this.compile(value, scope));
    return (input, run) => {
      if (Array.isArray(input) || isTuple(input)) fallBack();
      const made: Record<string, unknown> = {};
      for (let i = 0; i < values.length; i++) {
        const value = (values[i] as Closure)(input, run);
        if (value !== undefined) made[names[i] as string] = value;
      }
      return made;
    };
  }

  private array(node: ArrayMaker, scope: Scope): Closure {
    const members = node.expressions.map((member) => ({
      evaluate: this.compile(member, scope),
      isList: 'value' in member && member.value === '[',
    }));
    return (input, run) => {
      const made: unknown[] = [];
      for (const { evaluate, isList } of members) {
        const value = evaluate(input, run);
        if (value === undefined) continue;
        if (Array.isArray(value) && !isList) for (const one of value) made.push(one);
        else made.push(value);
        if (made.length > sequenceLengthMax) fallBack();
      }
      return made;
    };
  }

  private negation(evaluate: Closure): Closure {
    return (input, run) => {
      const value = evaluate(input, run);
      if (value === undefined) return undefined;
      return isNumeric(value) ? -value : fallBack();
    };
  }

  private binary({ value: sign, ...sides }: Binary, scope: Scope): Closure {
    const left = this.compile(sides.lhs, scope);
    const right = this.compile(sides.rhs, scope);
    if (sign === 'and') return (input, run) => isTrue(left(input, run)) && isTrue(right(input, run));
    if (sign === 'or') return (input, run) => isTrue(left(input, run)) || isTrue(right(input, run));
    if (sign === '&') return this.concatenation(left, right);
    const operate = Object.hasOwn(operators, sign) ? operators[sign] : undefined;
    if (!operate) unknown();
    return (input, run) => operate(left(input, run), right(input, run));
  }

  private concatenation(left: Closure, right: Closure): Closure {
    const print = this.functions.library.get('string') ?? unknown();
    const textOf = (value: unknown, context: unknown): unknown => {
      if (typeof value === 'string') return value;
      return value === undefined ? '' : isPlain(value) ? print([value], context) : fallBack();
    };
    return (input, run) => {
      const [before, after] = [left(input, run), right(input, run)];
      return `${textOf(before, input) as string}${textOf(after, input) as string}`;
    };
  }

  private condition(node: Condition, scope: Scope): Closure {
    const test = this.compile(node.condition, scope);
    const then = this.compile(node.then, scope);
    const otherwise = node.else && this.compile(node.else, scope);
    return (input, run) => (isTrue(test(input, run)) ? then(input, run) : otherwise?.(input, run));
  }

  /** The variables that a statement binds are visible to later statements. */
  private block(node: Block, scope: Scope): Closure {
    const inner = new Map(scope);
    const statements = node.expressions.map((statement) => this.statement(statement, inner));
    return (input, run) => {
      let value: unknown;
      for (const evaluate of statements) value = evaluate(input, run);
      return value;
    };
  }

  private statement(node: Node, scope: Map<string, number>): Closure {
    if (node.type !== 'bind') return this.compile(node, scope);
    if (!isKnown(node) || !isBare(node) || ['', '$'].includes(node.lhs.value)) unknown();
    const evaluate = this.compile(node.rhs, scope);
    const slot = this.slots++;
    scope.set(node.lhs.value, slot);
    return (input, run) => (run.slots[slot] = evaluate(input, run));
  }

  private call(node: Call, scope: Scope): Closure {
    const { procedure } = node;
    if (procedure.type !== 'variable' || !isBare(procedure) || scope.has(procedure.value)) unknown();
    this.nodes++;
    const args = node.arguments.map((argument) => this.compile(argument, scope));
    const helper = this.functions.helpers.get(procedure.value);
    const library = this.functions.library.get(procedure.value);
    const apply: LibraryFunction = helper ? (given) => helper(...given) : (library ?? unknown());
    return (input, run) => {
      run.tick();
      const given = args.map((argument) => argument(input, run));
      return given.every(isPlain) ? apply(given, input) : fallBack();
    };
  }

  private filter({ expr }: Filter, scope: Scope): FilterClosure {
    return expr.type === 'number' ? memberAt(expr.value as number) : filterBy(this.compile(expr, scope));
  }
}

/** Compiles a syntax tree of JSONata to a closure; undefined if a part of it is not supported. */
export function compileClosures(tree: object, functions: Functions): Closure | undefined {
  try {
    return new Compiler(functions).compile(tree, new Map());
  } catch (error) {
    if (error instanceof Unknown) return undefined;
    throw error;
  }
}
