import { hash, randomBytes } from 'node:crypto';

const processPart = randomBytes(5).toString('hex');
const counterDigits = 6;
let counter = randomBytes(3).readUIntBE(0, 3);

function nextCounter(): number {
  counter = (counter + 1) & 0xffffff;
  return counter;
}

const hexOf = (value: number, digits: number) => value.toString(16).padStart(digits, '0');

const idDigits = 24;
const secondDigits = 8;
let lastSecond = -1;
let lastSecondHex = '';

/** Cached, because thousands of ids are created per second and all ids of the same second have the same prefix. */
function secondHex(nowMs: number): string {
  const second = Math.floor(nowMs / 1000);
  if (second !== lastSecond) {
    lastSecond = second;
    lastSecondHex = hexOf(second, secondDigits);
  }
  return lastSecondHex;
}

/** A new id: 24 hexadecimal digits that start with the time in seconds, unique across all processes. */
export function newId(nowMs: number = Date.now()): string {
  return secondHex(nowMs) + processPart + hexOf(nextCounter(), counterDigits);
}

/** An id with the time of another id, the same whenever it is derived from the same seed. */
export function derivedId(id: string, seed: string): string {
  return id.slice(0, secondDigits) + hash('sha256', seed).slice(0, idDigits - secondDigits);
}

export const idPattern = /^[0-9a-f]{24}$/;

/**
 * Ids that are issued to callers before anything is stored. The last two bytes are a keyed checksum over the retailer
 * and the rest, so that an owner can distinguish a promised id whose document has not arrived yet from an unknown id.
 */
export interface IdAllotter {
  allot(retailer: string, nowMs?: number): string;
  /** One of several ids that a request assigns: the same in each execution of the request. */
  allotFor(request: { readonly id: string; readonly retailer: string }, index: number): string;
  /** Whether this id was issued to this retailer. One in 65,536 foreign ids passes by chance. */
  isAllotted(id: string, retailer: string): boolean;
}

const uniqueDigits = 20;
const checksumDigits = 4;
const seriesDigits = uniqueDigits - counterDigits;
const seriesKeptMax = 1_000;

/**
 * The key for all ids that one process issues to one retailer in one second: two 32-bit numbers, of which the first is
 * odd.
 */
interface SeriesKey {
  readonly factor: number;
  readonly summand: number;
}

/** Multiply-shift, a universal hash. A keyed digest per id would double the cost of a request's identity. */
function checksum({ factor, summand }: SeriesKey, count: number): string {
  return hexOf(((Math.imul(count, factor) + summand) >>> 0) >>> 16, checksumDigits);
}

export function idAllotter(secret: string): IdAllotter {
  const instance = randomBytes(3).toString('hex');
  const keys = new Map<string, SeriesKey>();

  function keyOf(series: string, retailer: string): SeriesKey {
    const name = `${series}/${retailer}`;
    let key = keys.get(name);
    if (!key) {
      const digest = hash('sha256', `${secret}/${name}`, 'buffer');
      key = { factor: digest.readInt32BE(0) | 1, summand: digest.readInt32BE(4) };
      if (keys.size >= seriesKeptMax) keys.clear();
      keys.set(name, key);
    }
    return key;
  }

  return {
    allot(retailer, nowMs = Date.now()) {
      const series = secondHex(nowMs) + instance;
      const count = nextCounter();
      return series + hexOf(count, counterDigits) + checksum(keyOf(series, retailer), count);
    },
    allotFor({ id, retailer }, index) {
      const digest = hash('sha256', id, 'buffer');
      const series = id.slice(0, secondDigits) + digest.toString('hex', 0, 3);
      const count = (digest.readUIntBE(3, 3) + index) & 0xffffff;
      return series + hexOf(count, counterDigits) + checksum(keyOf(series, retailer), count);
    },
    isAllotted(id, retailer) {
      if (!idPattern.test(id)) return false;
      const count = Number.parseInt(id.slice(seriesDigits, uniqueDigits), 16);
      // A timing-safe comparison is unnecessary: an attacker could only learn two bytes that reveal nothing.
      return id.slice(uniqueDigits) === checksum(keyOf(id.slice(0, seriesDigits), retailer), count);
    },
  };
}

/** A prefix that sorts before all ids created from this second on. */
export function idsFrom(nowMs: number): string {
  return hexOf(Math.floor(nowMs / 1000), secondDigits);
}

/** The time in an id as epoch milliseconds, to the second. */
export function idTimeMs(id: string): number {
  return Number.parseInt(id.slice(0, 8), 16) * 1000;
}
