import { cpuTimeMs } from './cpu-budget';

/** Serializing and parsing JSON is typical of conversions, and takes as long in a new process as in a warmed-up one. */
const sample = JSON.stringify(
  Array.from({ length: 12 }, (_, n) => ({
    name: `Item ${n}`,
    quantity: n,
    total: n * 1.5,
    properties: { category: 'shirts', product_code: `${1_000 + n}` },
  })),
);
const rounds = 200;
/** The time that the rounds take on an idle processor from 2024. */
const referenceMs = 3.2;
const slownessMax = 8;
/** Captured here because mappings run in the same process. */
const { parse, stringify } = JSON;

/**
 * Measures how many times slower this processor currently is than the reference processor. This processor may be old,
 * share its core and caches with other work, or belong to a virtual machine whose host is overloaded.
 * @returns 1 to 8. Measuring takes a few milliseconds.
 */
export function slowness(now: () => number = cpuTimeMs): number {
  const startedAtMs = now();
  for (let round = 0; round < rounds; round++) stringify(parse(sample));
  return Math.min(slownessMax, Math.max(1, (now() - startedAtMs) / referenceMs));
}
