import { z } from 'zod';
import { definitionOf, isRequired, type Definition } from './schema-definition';

/** The maximum number of listed faults, so that a hostile body cannot cause a huge response. */
export const faultsMax = 1000;

/**
 * The maximum number of elements and members checked in one step. If all of them are invalid, a step takes up to 10 ms
 * on one processor (November 2026). A value of ordinary size is checked in a single step.
 */
export const partNodesMax = 500;

/** The maximum number of elements and members checked in total; larger values are not caused by a mere mistake. */
const nodesMax = 50_000;

export type Issue = z.core.$ZodIssue;

/**
 * A part that is checked in one step, and its location. If it is the remainder of an array, `from` is its first index.
 */
interface Part {
  readonly schema: z.core.$ZodType;
  readonly value: unknown;
  readonly path: readonly PropertyKey[];
  readonly from?: number;
}

type Shape = z.core.$ZodShape;

function unwrapped(schema: z.core.$ZodType): Definition {
  const definition = definitionOf(schema);
  const isWrapped = definition.type === 'optional' || definition.type === 'nullable';
  return isWrapped ? unwrapped(definition.innerType) : definition;
}

const required = new WeakMap<Shape, readonly string[]>();

function requiredOf(shape: Shape): readonly string[] {
  let names = required.get(shape);
  if (!names) {
    names = Object.entries(shape).flatMap(([name, schema]) => (isRequired(schema) ? name : []));
    required.set(shape, names);
  }
  return names;
}

/** Cuts a part of limited size from the front of a value; the remainders of its arrays become further parts. */
class Cut {
  readonly rests: Part[] = [];
  private nodes = 0;

  constructor(private readonly nodesMax: number) {}

  get seen(): number {
    return this.nodes;
  }

  /**
   * @returns the value itself if nothing remains. An array is never cut to an empty array, because that might itself be
   * a fault. At most `faultsMax` unknown members are kept, because no more are listed.
   */
  take({ schema, value, path, from = 0 }: Part): unknown {
    if (typeof value !== 'object' || value === null) return value;
    const definition = unwrapped(schema);
    if (Array.isArray(value)) {
      return definition.type === 'array' ? this.takeArray(definition.element, value, path, from) : value;
    }
    const object = value as Readonly<Record<string, unknown>>;
    return definition.type === 'object' ? this.takeObject(definition.shape, object, path) : value;
  }

  private takeArray(element: z.core.$ZodType, value: readonly unknown[], path: Part['path'], from: number) {
    const taken: unknown[] = [];
    let isWhole = true;
    for (const [n, item] of value.entries()) {
      if (n > 0 && this.nodes >= this.nodesMax) {
        isWhole = false;
        this.rests.push({ schema: z.array(element), value: value.slice(n), path, from: from + n });
        break;
      }
      this.nodes++;
      const kept = this.take({ schema: element, value: item, path: [...path, from + n] });
      if (kept !== item) isWhole = false;
      taken.push(kept);
    }
    return isWhole ? value : taken;
  }

  private takeObject(shape: Shape, value: Readonly<Record<string, unknown>>, path: Part['path']) {
    const changed: Record<string, unknown> = {};
    let isWhole = true;
    let others = 0;
    for (const name in value) {
      this.nodes++;
      const schema = Object.hasOwn(shape, name) ? shape[name] : undefined;
      if (!schema && ++others > faultsMax) {
        isWhole = false;
        continue;
      }
      const member = value[name];
      const kept = schema ? this.take({ schema, value: member, path: [...path, name] }) : member;
      if (kept !== member) isWhole = false;
      Object.defineProperty(changed, name, {
        value: kept,
        enumerable: true,
        writable: true,
        configurable: true,
      });
    }
    for (const name of requiredOf(shape)) if (!Object.hasOwn(value, name)) this.nodes++;
    return isWhole ? value : changed;
  }
}

function placed(issue: Issue, { path, from = 0 }: Part): Issue {
  if (path.length === 0 && from === 0) return issue;
  const [index, ...below] = issue.path;
  if (index === undefined) return { ...issue, path: [...path] };
  return { ...issue, path: [...path, typeof index === 'number' ? index + from : index, ...below] };
}

/** The issues contain their values, so that a missing value can be distinguished from a wrong one. */
export const withInputs: z.core.ParseContext<z.core.$ZodIssue> = { reportInput: true };

/**
 * zod lists every fault, which takes seconds and a gigabyte of memory for a few hundred thousand of them. With this
 * option, which exists for `validate` but is missing from zod's types, it stops at the first faults.
 */
export const upToFirstFaults = { ...withInputs, abortEarly: true } as z.core.ParseContext<z.core.$ZodIssue>;

/**
 * Lists the faults of a value that is likely to be invalid, in parts, so that the caller can do other work at each
 * `yield`. The first part is checked against the whole schema; further parts are the remainders of long arrays, which
 * are checked element by element.
 */
export function* collectErrors<S extends z.ZodType>(
  schema: S,
  value: unknown,
): Generator<number, z.ZodSafeParseResult<z.output<S>>> {
  const parts: Part[] = [{ schema, value, path: [] }];
  const issues: Issue[] = [];
  let seen = 0;
  for (const part of parts) {
    const cut = new Cut(partNodesMax);
    const taken = cut.take(part);
    const result = z.safeParse(part.schema, taken, withInputs);
    if (result.success && taken === value) return result as z.ZodSafeParseResult<z.output<S>>;
    for (const issue of result.error?.issues ?? []) {
      if (issues.length >= faultsMax) break;
      issues.push(placed(issue, part));
    }
    seen += cut.seen;
    if (issues.length >= faultsMax || seen >= nodesMax) break;
    parts.push(...cut.rests);
    if (parts.at(-1) !== part) yield cut.seen;
  }
  if (issues.length > 0) {
    return { success: false, error: new z.ZodError(issues) as z.ZodError<z.output<S>> };
  }
  yield partNodesMax;
  // The remaining faults may be beyond the checked parts, or span several of them.
  return schema.safeParse(value, upToFirstFaults);
}
