import type { Platform } from '@receipts/local';
import { Client, newRetailer, type TestRetailer } from '../harness/client';
import { bearerToken } from '../harness/credentials';
import { discard, ownPlatform } from '../harness/own-platform';
import { sharedPlatform } from '../harness/shared-platform';
import { postUntilAccepted } from '../harness/traffic';

const receiptsTotal = Number(process.env['E2E_ORDER_RECEIPTS'] ?? 10_000);
const connections = 64;
const boundMs = 600_000;

describe('two gateways and two receipt-stores', () => {
  let platform: Platform | undefined;
  let retailer: TestRetailer;

  beforeAll(async () => {
    platform = await ownPlatform(
      { instances: { gateway: 2, 'receipt-store': 2, ingest: 0, transform: 0, identifier: 0, delivery: 0 } },
      { AMQP_URL: sharedPlatform().amqpUrl },
    );
    retailer = await newRetailer(platform.baseUrl, platform.secrets.operatorToken);
  });
  afterAll(() => discard(platform));

  const client = (index: number) =>
    new Client(platform?.baseUrls[index] ?? '', {
      headers: { authorization: `Bearer ${bearerToken(retailer.bearer)}` },
    });

  /**
   * The number of receipts whose events may not have been published yet, according to the latest reports of the
   * processes, which are at most a few seconds old.
   */
  async function pendingEvents(): Promise<number> {
    const headers = { authorization: `Bearer ${platform?.secrets.operatorToken}` };
    const { body } = await new Client(platform?.baseUrls[0] ?? '', { headers }).get('/operator/status');
    const services = body.services as { service: string; outbox: { pending: number } }[];
    return services.find(({ service }) => service === 'receipt-store')?.outbox.pending ?? Infinity;
  }

  it(
    `${receiptsTotal} receipts by ${connections} connections: a client that follows "newer" gets each exactly once, and every event is published promptly`,
    async () => {
      const posted = new Map<string, string>();
      let left = receiptsTotal;
      const till = async (index: number) => {
        while (left-- > 0) {
          const { transactionId, id } = await postUntilAccepted(client(index % 2));
          posted.set(transactionId, id);
        }
      };
      let writing = true;
      const writers = Promise.all(Array.from({ length: connections }, (_, index) => till(index))).then(() => {
        writing = false;
        return pendingEvents();
      });

      const seen: string[] = [];
      const reader = client(1);
      const version = { 'service-api-version': '2' };
      // The first page may already contain receipts. They are read by paging back.
      const first = await reader.get('/receipts', undefined, version);
      for (let page = first; ;) {
        seen.push(...(page.body.receipts as { id: string }[]).map(({ id }) => id));
        const next = page.body._links.next?.href as string | undefined;
        if (next === undefined) break;
        page = await reader.get(next, undefined, version);
      }
      let newer = first.body._links.newer.href as string;
      for (let rounds = 0; ; rounds++) {
        const stillWriting = writing;
        const page = await reader.get(newer, undefined, version);
        if (page.status !== 200) throw new Error(`newer returned ${page.status}: ${page.bytes.toString()}`);
        seen.push(...(page.body.receipts as { id: string }[]).map(({ id }) => id));
        newer = page.body._links.newer.href as string;
        if (page.body.receipts.length === 0 && !stillWriting) break;
      }
      // Two processes share the retailer's order. Publishing must keep up while both of them write.
      expect(await writers).toBeLessThan(receiptsTotal / 2);

      expect(posted.size).toBe(receiptsTotal);
      expect(new Set(seen).size).toBe(seen.length);
      expect(new Set(seen)).toEqual(new Set(posted.values()));
    },
    boundMs,
  );
});
