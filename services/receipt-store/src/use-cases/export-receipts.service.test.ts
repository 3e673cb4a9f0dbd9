import { MongoNetworkError } from 'mongodb';
import { receiptStoreContracts as contracts, type ExportPart, type ExportQuery } from '@receipts/contracts';
import { cursorCodec } from '../domain/cursor';
import { exportCursors } from '../domain/export-cursor';
import { Harness } from '../testing/harness';
import { callOf, retailerOf } from '../testing/samples';
import { exportReceipts } from './export-receipts';
import type { Dependencies } from './dependencies';

const day = { from: Date.UTC(2024, 4, 17), to: Date.UTC(2024, 4, 18) };
const away = new MongoNetworkError('connection closed');
const headers = { accept: 'application/x-ndjson' } as const;
const inputOf = (query: Partial<ExportQuery> = {}) => ({ query: { ...day, ...query }, headers }) as never;

interface ExportReply {
  readonly body: Buffer;
  readonly meta: { readonly next?: ExportPart };
}

const idsIn = ({ body }: Pick<ExportReply, 'body'>) =>
  body
    .toString()
    .split('\n')
    .flatMap((line) => (JSON.parse(line || '{}') as { id?: string }).id ?? []);

describe('the range of an export', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start();
  });
  afterAll(() => harness.stop());

  const read = async (retailer: string) => {
    const commands = harness.commands();
    const answer = await harness.fake.call(contracts.exportReceipts, inputOf(), callOf(retailer));
    return {
      ids: idsIn(answer as ExportReply),
      aggregations: commands().filter((name) => name === 'aggregate'),
    };
  };
  const within = { localtime: '2024-05-17T10:00:00+00:00' };
  const before = { localtime: '2024-05-16T10:00:00+00:00' };

  it('is read without a query for its limits if it extends to the present', async () => {
    const retailer = harness.retailer((id) => retailerOf(id));
    const ids = await harness.post(retailer, [within, before, within]);
    expect(await read(retailer)).toEqual({ ids: [ids[0], ids[2]], aggregations: [] });
  });

  it('is read between its first and last receipts, which are looked up once, if it has ended', async () => {
    const retailer = harness.retailer((id) => retailerOf(id));
    const ids = await harness.post(retailer, [before, within, before, within, before]);
    expect(await read(retailer)).toEqual({ ids: [ids[1], ids[3]], aggregations: ['aggregate'] });
  });
});

describe('on a database that briefly does not respond', () => {
  const all = Array.from({ length: 5 }, (_, i) => ({
    arrival: i + 1,
    _id: `${i}`,
    text: Buffer.from(`{"id":"${i}"}`),
  }));

  const positionRangeOf = jest.fn((_retailer: string, _range: unknown, above: number) =>
    Promise.resolve({ first: above + 1, last: all.length }),
  );
  const cursors = cursorCodec('secret');
  const ofExports = exportCursors('secret', cursors);

  /** @param faults the numbers of receipts after which successive reads fail; later reads succeed */
  function exporting(faults: number[]) {
    const read: Dependencies['byTime']['read'] = (_retailer, _filter, { above, upTo }, _limit, take) => {
      const fault = faults.shift();
      const wanted = all.filter(({ arrival }) => arrival > above && arrival <= upTo);
      for (const receipt of wanted.slice(0, fault)) take(receipt as never);
      return fault === undefined ? Promise.resolve(true) : Promise.reject(away);
    };
    const handle = exportReceipts({
      byTime: { read, positionRangeOf },
      receipts: {
        idsAt: () =>
          Promise.resolve(new Map([[0, ''], ...all.map(({ arrival, _id }) => [arrival, _id] as const)])),
      },
      cursors,
      exportCursors: ofExports,
    } as unknown as Dependencies);
    return (query?: Pick<ExportQuery, 'part' | 'after'>) =>
      handle(inputOf(query), callOf('r')) as unknown as Promise<ExportReply>;
  }

  it('ends a part where it was interrupted, and continues with the next part', async () => {
    const ask = exporting([2]);
    const first = await ask();
    expect(idsIn(first)).toEqual(['0', '1']);
    const { body, meta } = await ask({ part: first.meta.next });
    expect([idsIn({ body }), meta.next]).toEqual([['2', '3', '4'], undefined]);
    expect(body.toString()).toMatch(/\{"_cursor":"[^"]+"\}\n$/);
  });

  it('retries a part without receipts a few times', async () => {
    expect(idsIn(await exporting([0, 0])())).toHaveLength(all.length);
    await expect(exporting([0, 0, 0])()).rejects.toBe(away);
  });

  it('ends a resumed download where it would have ended, without looking up the range again', async () => {
    const range = { ...day, storeKeys: undefined };
    const at = { arrival: 2, id: '1' };
    const goOn = async (last: number | undefined) => {
      positionRangeOf.mockClear();
      const { body } = await exporting([])({ after: ofExports.encode('r', at, range, last) });
      return [idsIn({ body }), positionRangeOf.mock.calls.length];
    };
    expect(await goOn(4)).toEqual([['2', '3'], 0]);
    expect(await goOn(2)).toEqual([['2', '3', '4'], 1]);
    expect(await goOn(undefined)).toEqual([['2', '3', '4'], 1]);
  });
});
