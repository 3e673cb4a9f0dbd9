import type { Platform } from '@receipts/local';
import { until } from '@receipts/testing';
import { request } from '../harness/http';
import type { LoadResult } from './load';
import { loadSample } from './load-sample';
import { runLoad } from './measure';

export interface SearchBenchOptions {
  /** The numbers of receipts to measure with, in ascending order. */
  readonly sizes: readonly number[];
  readonly secondsPerRow: number;
}

interface Row {
  readonly name: string;
  readonly path: string;
}

const deepPages = 20;
const totalsPath = '/reports/totals';
/** The time limit for adding up a million loaded receipts for the first time. */
const totalsWithinMs = 30 * 60_000;
const aConsumer = encodeURIComponent('consumer.7@example.com');

/** As many conditions as a search may have, each of which matches many receipts. */
const manyConditions = Array.from({ length: 64 }, (_, n) => `total:[${n} TO ${n + 20}]`).join(' ');

/** The most frequent words of the sample first. */
const manyWords =
  'red blue green white black striped plain warm light heavy soft cotton wool linen silk organic classic modern large small slim wide short long summer winter vintage sport casual formal shirt trousers socks jacket coat dress skirt scarf gloves hat shoes boots belt jumper cardigan blouse jeans shorts pyjamas towel blanket pillow lamp vase candle mug plate bowl notebook pencil backpack wallet umbrella bracelet';

const searches: readonly (readonly [name: string, query: string])[] = [
  ['a frequent word', 'items.name:shirt'],
  ['a rare word', 'transaction_id:777'],
  ['both of two words', '+items.name:shirt +items.name:wool'],
  ['two words, ranked', 'items.name:shirt items.name:wool'],
  ['a phrase', 'items.name:"red shirt"'],
  ['a phrase of frequent words', 'items.name:"blue trousers"'],
  ['sixty-four conditions', manyConditions],
  ['sixty-four words', `items.name:(${manyWords})`],
  ['the beginning of a word', 'items.name:notebo*'],
  ['a mistyped word', 'items.name:shrit~'],
  ['an exact code', 'items.properties.product_code:P-4711'],
  ['an e-mail address', 'identifier:consumer.77@exam'],
  ['a day', 'timestamp:2024-06-15'],
  ['a year', 'timestamp:2024'],
  ['a narrow range of totals', 'total:[99 TO 99.5]'],
  ['a wide range of totals', 'total:[50 TO 200]'],
  ['returned items', 'items.return:*'],
  ['all but a word', '-items.name:shirt'],
  ['a value that all receipts share', 'payments.method:giftcard'],
  ['a word and a value that all receipts share', '+items.name:vintage +payments.method:cash'],
];

function rowsOf(deepPage: string): readonly Row[] {
  return [
    { name: 'list: first page', path: '/receipts' },
    { name: `list: after ${deepPages} pages`, path: deepPage },
    { name: 'list: of a consumer', path: `/receipts?consumer=${aConsumer}` },
    ...searches.map(([name, query]) => ({
      name: `search: ${name}`,
      path: `/receipts/_search?query=${encodeURIComponent(query)}`,
    })),
    { name: 'totals: a day', path: `${totalsPath}?from=2024-06-15&to=2024-06-15` },
    { name: 'totals: a year by store', path: `${totalsPath}?from=2024-01-01&to=2024-12-31&group_by=store` },
    {
      name: 'search: a word, one consumer',
      path: `/receipts/_search?consumer=${aConsumer}&query=${encodeURIComponent('items.name:shirt')}`,
    },
  ];
}

interface Figures {
  readonly hits: number | undefined;
  readonly load: LoadResult;
}

/**
 * Measures lists, searches and totals with a growing number of receipts. Times that grow with the number indicate a
 * missing index.
 */
export class SearchBench {
  constructor(
    private readonly platform: Platform,
    private readonly token: string,
    private readonly options: SearchBenchOptions,
  ) {}

  async run(): Promise<void> {
    const columns: Map<string, Figures>[] = [];
    let loaded = 0;
    for (const size of this.options.sizes) {
      await loadSample(this.platform, loaded, size - loaded);
      loaded = size;
      await until('the totals', () => this.hasTotals(), totalsWithinMs);
      columns.push(await this.measureAll());
    }
    this.print(columns);
  }

  private get headers(): Record<string, string> {
    return { authorization: `Bearer ${this.token}`, 'service-api-version': '2' };
  }

  /** Receipts that were loaded by another process are added up by the first queries, several of which return 503. */
  private async hasTotals(): Promise<boolean> {
    const { status } = await request(this.platform.baseUrl, totalsPath, { headers: this.headers });
    return status === 200;
  }

  private async measureAll(): Promise<Map<string, Figures>> {
    const figures = new Map<string, Figures>();
    for (const { name, path: target } of rowsOf(await this.deepPage())) {
      const first = await request(this.platform.baseUrl, target, { headers: this.headers });
      const load = await runLoad({
        port: Number(new URL(this.platform.baseUrl).port),
        connections: 1,
        seconds: this.options.secondsPerRow,
        method: 'GET',
        paths: [target],
        headers: this.headers,
        expectedStatus: 200,
        uniqueFrom: 0,
      });
      figures.set(name, { hits: (first.body as { hits?: number }).hits, load });
    }
    return figures;
  }

  private async deepPage(): Promise<string> {
    let target = '/receipts';
    for (let page = 0; page < deepPages; page++) {
      const { body } = await request(this.platform.baseUrl, target, { headers: this.headers });
      const { next } = (body as { _links: { next?: { href: string } } })._links;
      if (!next) break;
      target = next.href;
    }
    return target;
  }

  private print(columns: readonly Map<string, Figures>[]): void {
    const { sizes } = this.options;
    const heading = sizes.map((size) => `${size} receipts`.padStart(38)).join('');
    console.log(`\n${''.padEnd(34)}${heading}`);
    console.log(''.padEnd(34) + sizes.map(() => 'hits    p50 ms    p99 ms'.padStart(38)).join(''));
    for (const name of columns[0]?.keys() ?? []) {
      const cells = columns.map((column) => cellOf(column.get(name) as Figures).padStart(38));
      console.log(name.padEnd(34) + cells.join(''));
    }
  }
}

function cellOf({ hits, load }: Figures): string {
  const { unexpected, requests, p50Ms, p99Ms } = load;
  const failed = unexpected > 0 ? `${unexpected} of ${requests} refused  ` : '';
  return `${failed}${hits ?? ''}  ${String(p50Ms).padStart(8)}  ${String(p99Ms).padStart(8)}`;
}
