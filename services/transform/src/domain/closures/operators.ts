import { isNumeric, fallBack } from './sequences';

type Operator = (left: unknown, right: unknown) => unknown;

function numeric(compute: (left: number, right: number) => number): Operator {
  return (left, right) => {
    if (left !== undefined && !isNumeric(left)) fallBack();
    if (right !== undefined && !isNumeric(right)) fallBack();
    return left === undefined || right === undefined ? undefined : compute(left, right);
  };
}

function comparing(compare: (left: string | number, right: string | number) => boolean): Operator {
  const isComparable = (value: unknown) =>
    value === undefined || typeof value === 'string' || typeof value === 'number';
  return (left, right) => {
    if (!isComparable(left) || !isComparable(right)) fallBack();
    if (left === undefined || right === undefined) return undefined;
    if (typeof left !== typeof right) fallBack();
    return compare(left, right);
  };
}

function isEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  const areObjects = typeof left === 'object' && typeof right === 'object' && left !== null && right !== null;
  return areObjects ? fallBack() : false;
}

/** Operators that always evaluate both sides. `&` is implemented as a library function. */
export const operators: Readonly<Record<string, Operator>> = {
  '+': numeric((left, right) => left + right),
  '-': numeric((left, right) => left - right),
  '*': numeric((left, right) => left * right),
  '/': numeric((left, right) => left / right),
  '%': numeric((left, right) => left % right),
  '<': comparing((left, right) => left < right),
  '<=': comparing((left, right) => left <= right),
  '>': comparing((left, right) => left > right),
  '>=': comparing((left, right) => left >= right),
  // Comparisons with an undefined value are always false.
  '=': (left, right) => left !== undefined && right !== undefined && isEqual(left, right),
  '!=': (left, right) => left !== undefined && right !== undefined && !isEqual(left, right),
  in: (left, right) =>
    left !== undefined &&
    right !== undefined &&
    (Array.isArray(right) ? right : [right]).some((one) => one === left),
};
