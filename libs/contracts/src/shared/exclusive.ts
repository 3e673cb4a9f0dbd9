import { invalidParameter, ServiceError } from '@receipts/kernel';
import type { z } from 'zod';
import { isObject } from './schema-checks';

const listed = (names: readonly string[]) => `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

type Names = readonly [string, string, ...string[]];

function report(ctx: z.RefinementCtx, names: readonly string[], rule: string, all: Names): void {
  for (const name of names) {
    const message = `${rule} ${listed(all)} must be given`;
    ctx.addIssue({ code: 'custom', path: [name], message, params: { code: 'exclusive' } });
  }
}

/**
 * A check for fields of which exactly one must be given. Each field beyond the first is a fault; if none is given, the
 * fault is at the first field.
 * @param options.nullable true if a null counts as absent
 */
export function exactlyOneOf(names: Names, { nullable = false } = {}) {
  return (value: unknown, ctx: z.RefinementCtx): void => {
    if (!isObject(value)) return;
    const [first, ...others] = names.filter(
      (name) => Object.hasOwn(value, name) && !(nullable && value[name] === null),
    );
    report(ctx, first === undefined ? names.slice(0, 1) : others, 'exactly one of', names);
  };
}

/** A check for fields of which at most one may be given. */
export function atMostOneOf(names: Names) {
  return (value: unknown, ctx: z.RefinementCtx): void => {
    if (!isObject(value)) return;
    const given = names.filter((name) => Object.hasOwn(value, name));
    report(ctx, given.slice(1), 'at most one of', names);
  };
}

/** The error for query parameters of which at most one may be given. */
export function exclusiveParameters(names: readonly string[], excess: readonly string[]): ServiceError {
  const message = `at most one of ${listed(names)} must be given`;
  return new ServiceError(invalidParameter, {
    description: message,
    errors: excess.map((name) => ({ path: `/${name}`, code: 'exclusive', message })),
  });
}
