import type { MappingSample } from '@receipts/contracts';
import { jsonPointer } from '@receipts/kernel';
import { faultOf, type ConversionFault } from './faults/conversion-fault';

/** Amounts are computed, so differences below this are rounding errors. */
const tolerance = 1e-9;
const shownCharactersMax = 80;

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, shownCharactersMax);
}

type Free = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Free =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function differencesAt(path: string, expected: unknown, actual: unknown): ConversionFault[] {
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length) {
    return expected.flatMap((member, index) =>
      differencesAt(path + jsonPointer([index]), member, actual[index]),
    );
  }
  if (isObject(expected) && isObject(actual)) {
    return Object.keys(expected).flatMap((key) =>
      differencesAt(
        path + jsonPointer([key]),
        expected[key],
        Object.hasOwn(actual, key) ? actual[key] : undefined,
      ),
    );
  }
  const isClose =
    typeof expected === 'number' && typeof actual === 'number' && Math.abs(expected - actual) <= tolerance;
  if (isClose || expected === actual) return [];
  const lengths =
    Array.isArray(expected) && Array.isArray(actual)
      ? ` (${expected.length} and ${actual.length} members)`
      : '';
  return [faultOf(path, 'sample_differs', `expected ${shown(expected)}, got ${shown(actual)}${lengths}`)];
}

/**
 * Lists how the receipts of a sample differ from the expected receipts. Members that are missing from an expected
 * object are ignored; an expected list must have the same length. A single object represents the first receipt.
 */
export function compareSample(
  path: string,
  expected: MappingSample['expect'],
  receipts: readonly unknown[],
): ConversionFault[] {
  return Array.isArray(expected)
    ? differencesAt(path, expected, receipts)
    : differencesAt(path, expected, receipts[0]);
}
