import type { Closure, Run } from './closure';
import {
  fallBack,
  isNumeric,
  isSequence,
  isTrue,
  isTuple,
  memberOf,
  newSequence,
  pushTo,
  type Sequence,
} from './sequences';
import { isPlainName, type Path } from './syntax-tree';

export type FilterClosure = (value: unknown, run: Run) => unknown;

/** The values that a filter applies to. */
function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isTuple(value) ? fallBack() : [value];
}

/** The element at a position; negative positions count from the end. */
export function memberAt(position: number): FilterClosure {
  const index = Math.floor(position);
  return (value): unknown => {
    const list = listOf(value);
    const item = list[index < 0 ? list.length + index : index];
    if (Array.isArray(item)) return item;
    return item === undefined ? newSequence() : newSequence(item);
  };
}

/** The elements for which a test is true. */
export function filterBy(test: Closure): FilterClosure {
  return (value, run) => {
    const kept = newSequence();
    for (const item of listOf(value)) {
      run.tick();
      const outcome = test(item, run);
      // Numbers in a filter are positions, which are left to the interpreter.
      if (isNumeric(outcome) || Array.isArray(outcome)) fallBack();
      if (isTrue(outcome)) pushTo(kept, item);
    }
    return kept;
  };
}

export type Step = (input: readonly unknown[], run: Run) => Sequence;

export function stepOf(evaluate: Closure, filters: readonly FilterClosure[], isLast: boolean): Step {
  return (input, run) => {
    const found: unknown[] = [];
    for (let i = 0; i < input.length; i++) {
      run.tick();
      let value = evaluate(input[i], run);
      for (const filter of filters) value = filter(value, run);
      if (value !== undefined) found.push(value);
    }
    const [first] = found;
    if (isLast && found.length === 1 && Array.isArray(first) && !isSequence(first)) return first as Sequence;
    const flat = newSequence();
    for (const value of found) {
      if (Array.isArray(value)) for (const one of value) pushTo(flat, one);
      else pushTo(flat, value);
    }
    return flat;
  };
}

/** A path that consists only of member names, the most frequent kind. */
function straight(names: readonly string[], walk: Closure): Closure {
  return (input, run) => {
    let value = input;
    for (const name of names) {
      if (Array.isArray(value)) return walk(input, run);
      value = memberOf(value, name);
      if (value === undefined) return undefined;
    }
    return isSequence(value) ? walk(input, run) : value;
  };
}

/** Applies the steps of a path one after the other. */
export function pathOf(node: Path, steps: readonly Step[]): Closure {
  const isAbsolute = node.steps[0]?.type === 'variable';
  const walk: Closure = (input, run) => {
    let found: Sequence = Array.isArray(input) && !isAbsolute ? (input as Sequence) : newSequence(input);
    for (const step of steps) {
      found = step(found, run);
      if (found.length === 0) break;
    }
    if (node.keepSingletonArray) found.keepSingleton = true;
    return found;
  };
  const names = node.steps.map((step) => (isPlainName(step) ? step.value : undefined));
  if (node.keepSingletonArray || !names.every((name) => name !== undefined)) return walk;
  return straight(names, walk);
}
