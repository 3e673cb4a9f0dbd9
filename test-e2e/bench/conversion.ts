import { MongoClient, type Db } from 'mongodb';
import type { Platform } from '@receipts/local';
import { request } from '../harness/http';

const pollMs = 250;

/**
 * Observes the conversion of packets. It counts receipts directly in the database, so that counting costs the platform
 * little.
 */
export class Conversion {
  private readonly client: MongoClient;

  constructor(
    private readonly platform: Platform,
    private readonly token: string,
  ) {
    this.client = new MongoClient(platform.database.uri);
  }

  close(): Promise<void> {
    return this.client.close();
  }

  private database(service: string): Db {
    return this.client.db(`${this.platform.name.replaceAll('-', '_')}_${service}`);
  }

  /** The number of stored receipts, whether posted or converted. */
  receipts(): Promise<number> {
    return this.database('receipt_store').collection('receipts').estimatedDocumentCount();
  }

  /**
   * Waits until this many receipts are stored.
   * @throws Error if the number stops growing although receipts are missing
   */
  async drained(goal: number, stillMs = 30_000): Promise<void> {
    let last = await this.receipts();
    let movedAt = performance.now();
    for (;;) {
      const count = await this.receipts();
      if (count >= goal) return;
      if (count > last) {
        last = count;
        movedAt = performance.now();
      }
      if (performance.now() - movedAt > stillMs) {
        throw new Error(`${goal - count} of ${goal} receipts are missing, and no more are being stored`);
      }
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }

  /** @throws Error if a packet failed, or if a stored receipt is not found by a search. */
  async assertAllFound(goal: number): Promise<void> {
    const headers = { authorization: `Bearer ${this.token}` };
    const failed = await request(this.platform.baseUrl, '/pos/packets?status=failed&count=1', { headers });
    const [packet] = failed.body.packets as { reason: string }[];
    if (packet) throw new Error(`packets failed: ${packet.reason}`);
    const stored = await this.receipts();
    if (stored !== goal) throw new Error(`${stored} receipts are stored, ${goal} were accepted`);
    const query = encodeURIComponent('store_id:1');
    const found = await request(this.platform.baseUrl, `/receipts/_search?query=${query}&count=1`, {
      headers,
    });
    if (found.body.hits !== goal) throw new Error(`${found.body.hits} of ${goal} receipts can be found`);
  }
}
