import { ApiError } from './api-error';
import type { ReceiptsClient } from './client';
import type { paths } from './generated/api';
import type { Arrivals, Receipt } from './receipts';

type ExportQuery = paths['/receipts/export']['get']['parameters']['query'];
/** The receipts to export, and the cursor to continue from. */
export type ExportFilters = Omit<ExportQuery, 'format'>;

/** The maximum number of attempts without progress. */
const attemptsMax = 5;

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const bytes of body as unknown as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

async function download(client: ReceiptsClient, query: ExportQuery): Promise<ReadableStream<Uint8Array>> {
  const { data, error, response } = await client.GET('/receipts/export', {
    params: { query },
    parseAs: 'stream',
  });
  if (!response.ok) throw new ApiError(response, error as Record<string, unknown>);
  return data as ReadableStream<Uint8Array>;
}

/**
 * The receipts of a time range in order of arrival, in parts that end with a cursor. An interrupted download
 * continues after the last cursor, so each receipt is returned exactly once.
 * @throws ApiError if the service rejected the request; the connection's error if it broke off five times in a row
 */
export async function* exportedReceipts(
  client: ReceiptsClient,
  filters: ExportFilters,
): AsyncGenerator<Arrivals, void, undefined> {
  let query: ExportQuery = { ...filters, format: 'ndjson' };
  for (let attempt = 1; ; attempt++) {
    const body = await download(client, query);
    let receipts: Receipt[] = [];
    try {
      for await (const line of linesOf(body)) {
        const parsed = JSON.parse(line) as Receipt | { readonly _cursor: string };
        if ('id' in parsed) receipts.push(parsed);
        else {
          if (receipts.length > 0) yield { receipts, cursor: parsed._cursor };
          query = { ...query, after: parsed._cursor };
          receipts = [];
          attempt = 0;
        }
      }
      if (receipts.length === 0) return;
      throw new Error('the download does not end with a cursor');
    } catch (error) {
      if (attempt >= attemptsMax) throw error;
    }
  }
}
