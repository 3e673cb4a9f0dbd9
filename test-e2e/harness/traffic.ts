import { until } from '@receipts/testing';
import type { Client } from './client';
import { aReceipt, uniqueId } from './receipts';

const retryPauseMs = 100;
const attemptsMax = 3_000;
/**
 * The pause of a till between two receipts. Tills that post without one would leave no CPU time for restarting
 * processes.
 */
const betweenReceiptsMs = 100;

/**
 * Posts a receipt until it is accepted, like a till: after a broken connection or a 503 it retries the request with the
 * same transaction id, and a 409 with an id means that an earlier attempt was accepted.
 */
export async function postUntilAccepted(
  client: Client,
  onRetry: () => void = () => {},
  overrides: Record<string, unknown> = {},
): Promise<{ transactionId: string; id: string }> {
  const transactionId = uniqueId('till');
  const receipt = aReceipt({ ...overrides, transaction_id: transactionId });
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    try {
      const answer = await client.call('/receipts', { method: 'POST', body: receipt });
      if (answer.status === 201 || answer.status === 409)
        return { transactionId, id: answer.body.id as string };
      if (answer.status !== 503) throw new Error(`unexpected ${answer.status}: ${answer.bytes.toString()}`);
    } catch (error) {
      if (!isBrokenConnection(error)) throw error;
    }
    onRetry();
    await new Promise((resolve) => setTimeout(resolve, retryPauseMs));
  }
  throw new Error(`${transactionId} was not accepted after ${attemptsMax} tries`);
}

export function isBrokenConnection(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return (
    code === 'ECONNRESET' ||
    code === 'ECONNREFUSED' ||
    code === 'EPIPE' ||
    /socket hang up/.test(String(error))
  );
}

/** Tills that post continuously until they are stopped. */
export class Traffic {
  readonly accepted = new Map<string, string>();
  retries = 0;
  private running = true;
  private readonly workers: Promise<void>[];

  constructor(clients: readonly Client[], tills: number) {
    this.workers = Array.from({ length: tills }, (_, till) =>
      this.till(clients[till % clients.length] as Client),
    );
  }

  /** Stops posting and waits for pending requests. */
  async stop(): Promise<void> {
    this.running = false;
    await Promise.all(this.workers);
  }

  private async till(client: Client): Promise<void> {
    while (this.running) {
      const { transactionId, id } = await postUntilAccepted(client, () => this.retries++);
      this.accepted.set(transactionId, id);
      await new Promise((resolve) => setTimeout(resolve, betweenReceiptsMs));
    }
  }
}

interface ListedReceipt {
  readonly id: string;
  readonly transaction_id: string;
  readonly total: number;
}

/** All receipts of a retailer, newest first, read by paging through the list. A page that is refused is requested again. */
export async function readAll(client: Client): Promise<ListedReceipt[]> {
  const all: ListedReceipt[] = [];
  for (let path: string | undefined = '/receipts'; path !== undefined;) {
    const requested = path;
    const page = await until(`${path} is answered`, async () => {
      const answer = await client.get(requested, undefined, { 'service-api-version': '2' });
      return answer.status !== 503 && answer;
    });
    if (page.status !== 200) throw new Error(`the list returned ${page.status}: ${page.bytes.toString()}`);
    all.push(...page.body.receipts);
    path = page.body._links.next?.href as string | undefined;
  }
  return all;
}
