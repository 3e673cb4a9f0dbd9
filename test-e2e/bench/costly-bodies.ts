import http from 'node:http';
import { request } from '../harness/http';
import { aReceipt } from '../harness/receipts';

/** An authenticated client whose requests are more expensive than usual. */
export interface Attack {
  readonly name: string;
  /**
   * Runs until the signal is aborted.
   * @returns the number of responses per status
   */
  readonly run: (target: Target, signal: AbortSignal) => Promise<ReadonlyMap<number, number>>;
  /** The expected statuses. */
  readonly statuses: readonly number[];
}

export interface Target {
  readonly baseUrl: string;
  /** Bearer tokens of independent callers. */
  readonly tokens: readonly string[];
}

const faultyItems = 200_000;
const manyProperties = 150_000;
const emptyArrays = 600_000;
const namedItems = 4_900;
const nameOfItem = '漢字の長い商品名'.repeat(15);
const uploads = 24;
const uploadBytes = Math.floor(9.9 * 1024 * 1024);
const placeholder = '%TRANSACTION%';

const count = (counts: Map<number, number>, status: number) =>
  void counts.set(status, (counts.get(status) ?? 0) + 1);

/** A receipt with content that would be expensive to generate for each request, so that its text is built only once. */
const receiptWith = (members: Record<string, unknown>) =>
  JSON.stringify(aReceipt({ transaction_id: placeholder, ...members }));

/** Sends one request after another, each with a unique transaction id. */
function posting(name: string, status: number, text: string): Attack {
  return {
    name: `${name}, ${(Buffer.byteLength(text) / 1024 / 1024).toFixed(1)} MiB`,
    statuses: [status],
    async run({ baseUrl, tokens: [token = ''] }, signal) {
      const counts = new Map<number, number>();
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const [before, after] = text.split(placeholder).map((part) => Buffer.from(part)) as [Buffer, Buffer];
      for (let n = 0; !signal.aborted; n++) {
        const body = Buffer.concat([before, Buffer.from(`hostile-${n}`), after]);
        count(counts, (await request(baseUrl, '/receipts', { method: 'POST', headers, body })).status);
      }
      return counts;
    },
  };
}

/** Uploads whose last byte is never sent. Rejected ones get their response immediately. */
const unfinishedUploads: Attack = {
  name: `${uploads} unfinished uploads of 9.9 MiB`,
  statuses: [429, 503],
  async run({ baseUrl, tokens }, signal) {
    const counts = new Map<number, number>();
    const chunk = Buffer.alloc(uploadBytes - 1);
    const open = Array.from({ length: uploads }, (_, n) => {
      const upload = http.request(`${baseUrl}/attachments`, {
        method: 'POST',
        agent: false,
        headers: {
          authorization: `Bearer ${tokens[n % tokens.length] ?? ''}`,
          'content-type': 'application/octet-stream',
          'content-length': uploadBytes,
        },
      });
      upload.on('response', (answer) => {
        count(counts, answer.statusCode ?? 0);
        answer.resume();
      });
      // A rejected upload is closed by the server while data is being sent.
      upload.on('error', () => undefined);
      upload.write(chunk);
      return upload;
    });
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    for (const upload of open) upload.destroy();
    return counts;
  },
};

const numbered = (length: number) => Array.from({ length }, (_, n) => n);

/** Requests that would block others, or exhaust the memory, if there were no limits. */
export const attacks = (): readonly Attack[] => [
  posting(
    'a receipt with long names',
    201,
    receiptWith({ items: numbered(namedItems).map(() => ({ name: nameOfItem, quantity: 1, total: 1 })) }),
  ),
  posting(
    'a receipt with 14,700 faults',
    422,
    receiptWith({ items: numbered(namedItems).map(() => ({ name: 1, quantity: '1', total: '1' })) }),
  ),
  posting('200,000 faulty items', 422, receiptWith({ items: numbered(faultyItems).map(() => ({})) })),
  posting(
    '150,000 properties',
    422,
    receiptWith({ properties: Object.fromEntries(numbered(manyProperties).map((n) => [n.toString(36), 0])) }),
  ),
  posting(
    '600,000 empty arrays',
    422,
    receiptWith({ properties: { lists: numbered(emptyArrays).map(() => []) } }),
  ),
  unfinishedUploads,
];
