import type { PostedReceipt } from '@receipts/contracts';

const adjectives =
  'red blue green white black striped plain warm light heavy soft cotton wool linen silk organic classic modern large small slim wide short long summer winter vintage sport casual formal'.split(
    ' ',
  );
const things =
  'shirt trousers socks jacket coat dress skirt scarf gloves hat shoes boots belt jumper cardigan blouse jeans shorts pyjamas towel blanket pillow lamp vase candle mug plate bowl notebook pencil backpack wallet umbrella bracelet necklace watch perfume soap brush mirror'.split(
    ' ',
  );
const reasons = ['too small', 'too large', 'torn', 'wrong colour'];
const methods = ['card', 'card', 'card', 'cash', 'giftcard'];
const people = ['Anna Lindberg', 'Joe Smith', 'María Núñez', 'Øyvind Hansen', 'Zoë Meyer'];

const consumers = 20_000;
/** The receipts are spread over three years from this day. */
const firstDay = Date.UTC(2023, 0, 1);
const days = 3 * 365;
const dayMs = 86_400_000;
const itemsMax = 6;

/** A seeded generator of numbers in [0, 1) (mulberry32). */
function randomOf(seed: number): () => number {
  let state = (seed + 1) * 0x9e3779b1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * The n-th receipt of an invented shop: the same receipt for the same n, and different receipts for different n, with
 * word frequencies as uneven as in natural text.
 */
export function sampleReceipt(n: number, run: string): PostedReceipt {
  const random = randomOf(n);
  const upTo = (count: number) => Math.floor(random() * count);
  // Squaring makes the first words of a list many times more frequent than the last words.
  const oneOf = <T>(list: readonly T[]): T => list[Math.floor(random() ** 2 * list.length)] as T;
  const localtime = new Date(firstDay + upTo(days) * dayMs + upTo(dayMs / 1000) * 1000).toISOString();
  const discounts = (share: number) =>
    random() < share
      ? Array.from({ length: 1 + upTo(2) }, () => ({
          name: `${oneOf(adjectives)} sale`,
          quantity: 1 + upTo(3),
          amount: -upTo(500) / 100,
        }))
      : undefined;
  const items = Array.from({ length: 1 + upTo(itemsMax) }, () => {
    const isWeighed = random() < 0.02;
    const quantity = isWeighed ? (1 + upTo(3_000)) / 1000 : random() < 0.9 ? 1 : 2 + upTo(3);
    const isReturn = random() < 0.02;
    const reduced = discounts(0.03);
    return {
      name: `${oneOf(adjectives)} ${oneOf(things)} ${100 + upTo(900)}`,
      quantity: isReturn ? -quantity : quantity,
      total: (isReturn ? -1 : 1) * quantity * (1 + upTo(20_000) / 100),
      properties: {
        product_code: `P-${upTo(20_000)}`,
        category: oneOf(things),
        ...(random() < 0.01 && { details: `batch ${upTo(500)} *` }),
      },
      ...(isWeighed && { unit: 'kg' }),
      ...(reduced && { discounts: reduced }),
      ...(isReturn && { return: { localtime, reason: oneOf(reasons) } }),
    };
  });
  const total = Math.round(items.reduce((sum, item) => sum + item.total, 0) * 100) / 100;
  const method = oneOf(methods);
  const wholeDiscounts = discounts(0.02);
  const consumer = random() < 0.7 ? `consumer.${upTo(consumers)}@example.com` : undefined;
  return {
    transaction_id: `${run}-${n}`,
    localtime,
    store_reference: 1 + upTo(2),
    total,
    items,
    payments: [
      {
        method,
        amount: total,
        ...(method === 'cash' && { change: upTo(40) / 2 }),
        ...(method === 'giftcard' && { number: `${upTo(10_000)}` }),
      },
    ],
    properties: {
      operator: `Till ${1 + upTo(12)}`,
      salesperson: oneOf(people),
      ...(random() < 0.02 && { email: `mail.${upTo(500)}@example.org` }),
    },
    ...(wholeDiscounts && { discounts: wholeDiscounts }),
    ...(consumer !== undefined && { identifier: consumer }),
  };
}
