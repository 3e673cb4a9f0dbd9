import { cpuTimeMs } from './cpu-budget';

/** Printing and reading text is what conversions do, and takes as long in a process that is new as in one that is warm. */
const sample = JSON.stringify(
  Array.from({ length: 12 }, (_, n) => ({
    name: `Item ${n}`,
    quantity: n,
    total: n * 1.5,
    properties: { category: 'shirts', product_code: `${1_000 + n}` },
  })),
);
const rounds = 200;
/** What the rounds take on a processor of 2024 that has nothing else to do. */
const referenceMs = 3.2;
const slownessMax = 8;
/** Held here because a mapping runs in the same process. */
const { parse, stringify } = JSON;

/**
 * How many times slower than the one that limits are meant for the processor is at this moment: it may be an old one, share
 * its core and its caches with others, or be lent by a host that counts as ours what it gives to others.
 * @returns 1 to 8. To find out takes some milliseconds.
 */
export function slowness(now: () => number = cpuTimeMs): number {
  const startedAtMs = now();
  for (let round = 0; round < rounds; round++) stringify(parse(sample));
  return Math.min(slownessMax, Math.max(1, (now() - startedAtMs) / referenceMs));
}
