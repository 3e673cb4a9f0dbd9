import type { Child, Platform } from '@receipts/local';
import { Client, newRetailer, type TestRetailer } from '../harness/client';
import { clockShift } from '../harness/clock-shifts';
import type { HttpResponse } from '../harness/http';
import { discard, ownPlatform, sharedInfrastructure } from '../harness/own-platform';
import { aReceipt } from '../harness/receipts';

const dayMs = 86_400_000;

interface Allotted {
  readonly link: string;
  readonly webview: { readonly href: string };
}

describe('more than 30 days later', () => {
  let platform: Platform;
  let retailer: TestRetailer;
  let anybody: Client;
  let aheadMs = 0;

  beforeAll(async () => {
    platform = await ownPlatform(
      {
        env: (service) => (service === 'gateway' ? {} : clockShift(aheadMs)),
        instances: { transform: 0, delivery: 2 },
      },
      sharedInfrastructure(),
    );
    anybody = new Client(platform.baseUrl, {});
    retailer = await newRetailer(platform.baseUrl, platform.secrets.operatorToken);
  });
  afterAll(() => discard(platform));

  /** Restarts services with a later time. The gateway, which issues the links, does not need the later time. */
  const advance = async (ms: number) => {
    aheadMs = ms;
    await platform.instances('delivery')[1]?.stop();
    for (const name of ['receipt-store', 'ingest', 'delivery'] as const)
      await platform.replace(name, platform.instances(name)[0] as Child);
  };
  const allotted = async (count: number) => {
    const { status, body } = await retailer.api.post('/receipts/_link', { count });
    expect(status).toBe(201);
    return body.links as Allotted[];
  };
  const page = ({ webview }: Allotted) => anybody.get(new URL(webview.href).pathname, { format: 'json' });
  const result = ({ status, body }: HttpResponse) => [status, body?.code ?? body?.status];
  const post = (link: string) => retailer.api.post('/receipts', { ...aReceipt(), link });
  const raw = (link: string) =>
    retailer.api.call('/pos/receipts', { method: 'POST', query: { link }, body: { number: 1 } });

  it('proofs are signed with the only key that two processes created when they first started', async () => {
    const { keys } = (await anybody.get('/.well-known/jwks.json')).body as { keys: { kid: string }[] };
    expect(keys).toHaveLength(1);
    const proofs = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const { body } = await retailer.api.post('/receipts', aReceipt());
        const { bytes } = await retailer.api.get(`/receipts/${body.id}/proof`);
        return bytes.toString();
      }),
    );
    for (const proof of proofs) {
      const header = Buffer.from(proof.split('.')[0] ?? '', 'base64url').toString();
      expect(JSON.parse(header)).toMatchObject({ kid: keys[0]?.kid });
    }
  });

  it('an unused link and its page are unknown, and those of a receipt remain', async () => {
    const [used, unused] = (await allotted(2)) as [Allotted, Allotted];
    const { status, body: receipt } = await post(used.link);
    expect(status).toBe(201);
    expect([result(await page(used)), result(await page(unused))]).toEqual([
      [200, 'ready'],
      [200, 'waiting'],
    ]);
    await advance(30 * dayMs + 60_000);

    expect(result(await page(used))).toEqual([200, 'ready']);
    expect(result(await page(unused))).toEqual([404, 'link_not_found']);
    for (const answer of [await post(unused.link), await raw(unused.link)])
      expect(result(answer)).toEqual([422, 'link_not_found']);
    const lines = { receipts: [{ ...aReceipt(), link: unused.link }, aReceipt()] };
    const { body } = await retailer.api.post('/receipts/_batch', lines);
    expect(body).toMatchObject({ accepted: 1, results: [{ code: 'link_not_found' }, { status: 201 }] });
    const repeated = await post(used.link);
    expect([...result(repeated), repeated.body.id]).toEqual([409, 'link_taken', receipt.id]);
  });
});
