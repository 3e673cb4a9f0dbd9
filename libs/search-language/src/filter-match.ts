import type { Filter } from './condition-filter';
import { compareText } from './search-terms';

/**
 * Evaluates a filter in memory. It supports only the operators that `compile` uses, with MongoDB's semantics: a
 * condition on an array matches if one element matches.
 * @throws Error for other operators.
 */
export function meets(filter: Filter, document: object): boolean {
  return Object.entries(filter).every(([key, operand]) => {
    if (key === '$and') return filters(operand).every((part) => meets(part, document));
    if (key === '$or') return filters(operand).some((part) => meets(part, document));
    if (key === '$nor') return !filters(operand).some((part) => meets(part, document));
    return holdsFor(operand, valuesAt(document, key.split('.')));
  });
}

const filters = (operand: unknown): readonly Filter[] => operand as readonly Filter[];

/** All values at a path. Arrays on the path are expanded. */
function valuesAt(value: unknown, path: readonly string[]): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap((element) => valuesAt(element, path));
  if (path.length === 0) return [value];
  if (typeof value !== 'object' || value === null) return [];
  return valuesAt((value as Record<string, unknown>)[path[0]!], path.slice(1));
}

function holdsFor(operand: unknown, values: readonly unknown[]): boolean {
  if (typeof operand !== 'object' || operand === null) return values.includes(operand);
  return Object.entries(operand).every(([operator, argument]) => {
    const each = (test: (value: unknown) => boolean): boolean => values.some(test);
    switch (operator) {
      case '$in':
        return each((value) =>
          (argument as unknown[]).some((one) =>
            one instanceof RegExp ? typeof value === 'string' && one.test(value) : one === value,
          ),
        );
      case '$all':
        return (argument as unknown[]).every((one) => values.includes(one));
      case '$regex': {
        const pattern = new RegExp(argument as string);
        return each((value) => typeof value === 'string' && pattern.test(value));
      }
      case '$elemMatch':
        return each((value) => holdsFor(argument, [value]));
      case '$gt':
        return each((value) => compared(value, argument) > 0);
      case '$gte':
        return each((value) => compared(value, argument) >= 0);
      case '$lt':
        return each((value) => compared(value, argument) < 0);
      case '$lte':
        return each((value) => compared(value, argument) <= 0);
      default:
        throw new Error(`a filter has the unknown operator ${operator}`);
    }
  });
}

/** NaN for values of different types, which have no order. */
function compared(value: unknown, bound: unknown): number {
  if (typeof value === 'number' && typeof bound === 'number') {
    return value < bound ? -1 : value > bound ? 1 : value === bound ? 0 : NaN;
  }
  return typeof value === 'string' && typeof bound === 'string' ? compareText(value, bound) : NaN;
}
