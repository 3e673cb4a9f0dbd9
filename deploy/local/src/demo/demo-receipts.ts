import type { Article, Shop } from './shops';

const dayMs = 86_400_000;
const tillsPerStore = 2;
const consumerCount = 600;
const names = ['anna', 'ben', 'clara', 'david', 'elif', 'farid', 'greta', 'hugo', 'ines', 'jonas'];
const methods = ['card', 'card', 'card', 'apple_pay', 'cash', 'cash', 'gift_card'];
/** Frequencies of receipts with special features, so that no page is empty. */
const shares = { consumer: 0.4, discount: 0.05, returns: 0.02, voided: 0.006, faulty: 0.003 };

export interface DemoReceipt {
  readonly transaction_id: string;
  readonly items: readonly object[];
  readonly [field: string]: unknown;
}

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

const money = (minor: number) => Math.round(minor) / 100;

function choose(articles: readonly Article[], random: () => number): Article {
  const all = articles.reduce((sum, [, , , popularity]) => sum + popularity, 0);
  let left = random() * all;
  return articles.find(([, , , popularity]) => (left -= popularity) < 0) ?? (articles[0] as Article);
}

const taxOf = (total: number, rate: number) => Math.round((total * rate) / (100 + rate));

function itemsOf(shop: Shop, random: () => number) {
  return Array.from({ length: 1 + Math.floor(random() * shop.itemsMax) }, () => {
    const [name, price, rate] = choose(shop.articles, random);
    const quantity = random() < 0.8 ? 1 : 2 + Math.floor(random() * 2);
    return { name, price, rate, quantity, total: price * quantity, tax: taxOf(price * quantity, rate) };
  });
}

function paymentsOf(method: string, total: number, random: () => number): object[] {
  const details = {
    card: {
      number: String(1000 + Math.floor(random() * 9000)),
      type: random() < 0.5 ? 'VISA' : 'MASTERCARD',
    },
    cash: { change: money(Math.ceil(total / 500) * 500 - total) },
    gift_card: { number: `G-${Math.floor(random() * 9000)}`, balance: money(random() * 5000) },
  }[method];
  const paid = method === 'cash' ? Math.ceil(total / 500) * 500 : total;
  return [{ method, amount: money(paid), ...details }];
}

/** The local time of the n-th of `count` receipts of a day, spread over the opening hours. */
function localtimeOf({ hours: [from, to] }: Shop, day: Date, share: number): string {
  const second = Math.floor((from + (to - from) * share) * 3600);
  return `${day.toISOString().slice(0, 10)}T${new Date(second * 1000).toISOString().slice(11, 19)}`;
}

/**
 * The receipts of a shop for the days up to `now`, oldest first. They are the same for the same arguments. Some are
 * returns of earlier sales, and a few do not add up.
 *
 * @param now local time of the shop, as if it were UTC; later receipts of that day are omitted
 * @param count the total number of receipts
 */
export function demoReceipts(shop: Shop, now: Date, days: number, count: number): DemoReceipt[] {
  const random = randomOf([...shop.id].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) | 0);
  const receipts: DemoReceipt[] = [];
  let sale: { readonly number: string; readonly lines: ReturnType<typeof itemsOf> } | undefined;
  for (let n = 0; n < count; n++) {
    const place = (n * days) / count;
    const day = new Date(now.getTime() - (days - 1 - Math.floor(place)) * dayMs);
    const localtime = localtimeOf(shop, day, place % 1);
    if (localtime > now.toISOString()) break;
    const store = 1 + Math.floor(random() * shop.stores.length);
    const till = 1 + Math.floor(random() * tillsPerStore);
    const returned = random() < shares.returns ? sale : undefined;
    const sign = returned ? -1 : 1;
    const lines = returned ? returned.lines.slice(0, 1) : itemsOf(shop, random);
    const sum = lines.reduce((all, { total }) => all + total, 0);
    const discount = !returned && random() < shares.discount ? Math.round(sum * 0.1) : 0;
    const total = sum - discount;
    const paid = random() < shares.faulty ? total + 100 : total;
    const method = methods[Math.floor(random() * methods.length)] as string;
    const rates = [...new Set(lines.map(({ rate }) => rate))].filter((rate) => rate > 0);
    const taxes = rates.map((rate) => ({
      name: 'vat',
      rate,
      amount: money(sign * lines.reduce((all, line) => all + (line.rate === rate ? line.tax : 0), 0)),
    }));
    const taxed = lines.reduce((all, { tax }) => all + tax, 0);
    const consumer = Math.floor(random() ** 2 * consumerCount);
    const receipt: DemoReceipt = {
      transaction_id: `${shop.id}-${localtime.slice(0, 10)}-${n}`,
      localtime,
      store_reference: store,
      till_uuid: `${shop.id}-${store}-${till}`,
      total: money(sign * total),
      net: money(sign * (total - taxed)),
      items: lines.map(({ name, price, rate, quantity, total: line, tax }) => ({
        name,
        quantity: sign * quantity,
        unit_price: money(price),
        total: money(sign * line),
        ...(rate > 0 && { taxes: [{ name: 'vat', rate, amount: money(sign * tax) }] }),
        properties: { product_code: `${shop.id}-${shop.articles.findIndex((each) => each[0] === name)}` },
      })),
      ...(discount > 0 && { discounts: [{ name: '10 %', amount: money(-discount), percentage: 10 }] }),
      ...(taxes.length > 0 && { taxes }),
      payments: returned ? [{ method: 'cash', amount: money(-paid) }] : paymentsOf(method, paid, random),
      ...(random() < shares.consumer && {
        identifier: `${names[consumer % names.length]}.${consumer}@${shop.id}.example`,
      }),
      ...(returned && { related: [{ type: 'return', transaction_id: returned.number }] }),
    };
    if (!returned) sale = { number: receipt.transaction_id, lines };
    receipts.push(receipt);
  }
  return receipts;
}

/** Whether the demo voids the n-th receipt. */
export const isVoided = (n: number): boolean => n % Math.round(1 / shares.voided) === 0;
