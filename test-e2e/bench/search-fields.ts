import fc from 'fast-check';
import { MongoClient } from 'mongodb';
import type { Platform } from '@receipts/local';
import {
  evaluate,
  parseQuery,
  receiptFields,
  type FieldCatalogue,
  type SearchableRecord,
} from '@receipts/search-language';
import { fieldCondition, fieldQueries, type FieldQuery } from '../harness/field-queries';
import { request } from '../harness/http';
import { aReceipt } from '../harness/receipts';
import { median } from '../harness/statistics';

const queriesPerField = 4;
const mixedQueries = 40;
/** The values of queries come from this many receipts. */
const sampleSize = 2_000;
const pageSize = 20;
const seed = 11;
const hostileSearches = 10;
/** The factor by which hostile searches may increase the median response time of posted receipts. */
const slowdownMax = 2;

/** Expensive searches. */
const hostile = [
  'items.name:"shirt blue"',
  '+items.name:shirt +items.name:wool',
  '+items.total:[0 TO 100000] +items.quantity.decimal:[0 TO 1000] -items.name:red',
  'items.name:s* items.name:w* items.name:b*',
  '-items.properties.product_code:P* -identifier:consumer',
];

interface Answer {
  readonly status: number;
  readonly ms: number;
  readonly hits: number;
  readonly relation: string;
  readonly shown: number;
}

interface Asked extends FieldQuery {
  expected: number;
}

/** The fault in a response; undefined if it is correct. */
function faultOf({ expected }: Asked, { status, hits, relation, shown }: Answer): string | undefined {
  if (status !== 200) return `status ${status}`;
  if (relation === 'eq') {
    if (hits !== expected) return `${hits} hits instead of ${expected}`;
    return shown === Math.min(expected, pageSize) ? undefined : `${shown} of ${expected} shown`;
  }
  if (hits > expected) return `at least ${hits} hits instead of ${expected}`;
  return shown === pageSize && expected > pageSize && hits <= pageSize
    ? 'no more hits than shown'
    : undefined;
}

/**
 * Compares searches of every field among many receipts with an evaluation of these receipts, and measures how expensive
 * searches affect the posting of receipts. The receipts must already be loaded. Fails on a wrong response, on 503, and if posting is delayed.
 */
export class SearchFieldsBench {
  private readonly fields: FieldCatalogue = receiptFields();

  constructor(
    private readonly platform: Platform,
    private readonly token: string,
    private readonly size: number,
    private readonly seconds: number,
  ) {}

  async run(): Promise<boolean> {
    const asked = await this.queries();
    await this.evaluateAll(asked);
    const isRight = await this.askAll(asked);
    const isQuick = await this.postBesideSearches();
    return isRight && isQuick;
  }

  private get headers(): Record<string, string> {
    return { authorization: `Bearer ${this.token}` };
  }

  private async ask(query: string): Promise<Answer> {
    const begun = performance.now();
    const target = `/receipts/_search?query=${encodeURIComponent(query)}`;
    const { status, body } = await request(this.platform.baseUrl, target, { headers: this.headers });
    const { hits = 0, hits_relation: relation = '', receipts = [] } = body as Record<string, never>;
    const shown = (receipts as readonly unknown[]).length;
    return { status, ms: performance.now() - begun, hits, relation, shown };
  }

  private async withStore<T>(use: (client: MongoClient) => Promise<T>): Promise<T> {
    const client = new MongoClient(this.platform.database.uri);
    try {
      return await use(client);
    } finally {
      await client.close();
    }
  }

  /** Reads receipts in the form used by search. */
  private async *receipts(client: MongoClient, limit: number): AsyncGenerator<SearchableRecord> {
    const { name, credentials } = this.platform;
    const { body } = await request(this.platform.baseUrl, '/stores', { headers: this.headers });
    const { stores } = body as { stores: readonly { id: number; reference: number }[] };
    const ids = new Map(stores.map(({ id, reference }) => [String(reference), id]));
    const collection = client.db(`${name}_receipt_store`.replaceAll('-', '_')).collection('receipts');
    const options = { projection: { text: 1 }, sort: { seq: -1 }, limit } as const;
    for await (const { text } of collection.find({ retailer: credentials.retailer }, options)) {
      const record = JSON.parse(text as string) as SearchableRecord;
      const id = ids.get(String(record['store_reference']));
      yield { ...record, ...(id !== undefined && { store_id: id }) };
    }
  }

  private queries(): Promise<Asked[]> {
    return this.withStore(async (client) => {
      const records: SearchableRecord[] = [];
      for await (const record of this.receipts(client, sampleSize)) records.push(record);
      const ofFields = [...this.fields.values()].flatMap((field) =>
        fc.sample(fieldCondition(field, records), { numRuns: queriesPerField, seed }),
      );
      const mixed = fc.sample(fieldQueries(this.fields, records), { numRuns: mixedQueries, seed });
      return [...ofFields, ...mixed].map((one) => ({ ...one, expected: 0 }));
    });
  }

  private evaluateAll(asked: readonly Asked[]): Promise<void> {
    const parsed = asked.map((one) => ({ one, query: parseQuery(one.query) }));
    return this.withStore(async (client) => {
      for await (const record of this.receipts(client, 0)) {
        for (const { one, query } of parsed) if (evaluate(query, this.fields, record).matches) one.expected++;
      }
    });
  }

  private async askAll(asked: readonly Asked[]): Promise<boolean> {
    const rows = new Map<string, { ms: number[]; slowest: string; bounded: number; count: number }>();
    let faults = 0;
    for (const one of asked) {
      const answer = await this.ask(one.query);
      const row = rows.get(one.path) ?? { ms: [], slowest: '', bounded: 0, count: 0 };
      if (answer.ms >= Math.max(0, ...row.ms)) row.slowest = `${one.query} (${one.expected} hits)`;
      row.ms.push(answer.ms);
      row.count++;
      if (answer.relation === 'at_least') row.bounded++;
      rows.set(one.path, row);
      const fault = faultOf(one, answer);
      if (fault === undefined) continue;
      faults++;
      console.log(`WRONG ${one.query}: ${fault}`);
    }
    console.log(`\n${'field'.padEnd(30)}  median ms  slowest ms  at_least  slowest query`);
    for (const [path, { ms, slowest, bounded, count }] of rows) {
      const figures = [median(ms), Math.max(...ms)].map((one) => one.toFixed(0).padStart(9)).join('  ');
      console.log(`${path.padEnd(30)}  ${figures}  ${`${bounded} of ${count}`.padStart(8)}  ${slowest}`);
    }
    console.log(`${asked.length} queries of ${this.size} receipts, ${faults} wrong responses`);
    return faults === 0;
  }

  /** The response times of receipts that are posted one after another, in milliseconds. */
  private async post(): Promise<number[]> {
    const times: number[] = [];
    for (const end = performance.now() + this.seconds * 1000; performance.now() < end;) {
      const begun = performance.now();
      const headers = { ...this.headers, 'content-type': 'application/json' };
      const { status } = await request(this.platform.baseUrl, '/receipts', {
        method: 'POST',
        headers,
        body: JSON.stringify(aReceipt()),
      });
      if (status !== 201) throw new Error(`posting a receipt returned ${status}`);
      times.push(performance.now() - begun);
    }
    return times;
  }

  private async postBesideSearches(): Promise<boolean> {
    const quiet = median(await this.post());
    let isOver = false;
    const statuses = new Map<number, number>();
    const search = async (first: number) => {
      for (let n = first; !isOver; n++) {
        const { status } = await this.ask(hostile[n % hostile.length] as string);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    const searches = Array.from({ length: hostileSearches }, (_, n) => search(n));
    const busy = median(await this.post());
    isOver = true;
    await Promise.all(searches);
    const answers = [...statuses].map(([status, count]) => `${count} x ${status}`).join(', ');
    const ratio = busy / quiet;
    console.log(
      `\nPOST /receipts: median ${quiet.toFixed(1)} ms, alongside ${hostileSearches} searches ${busy.toFixed(1)} ms (x ${ratio.toFixed(2)}); searches: ${answers}`,
    );
    return ratio <= slowdownMax && !statuses.has(503);
  }
}
