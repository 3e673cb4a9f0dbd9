import { allottedLinks, linkTokens, receiptStoreContracts as contracts } from '@receipts/contracts';
import { newId, type Call } from '@receipts/kernel';
import { Harness, idSecret, publicUrl, refusal } from '../testing/harness';
import { callOf, postedReceipt, retailerOf } from '../testing/samples';

const dayMs = 24 * 60 * 60_000;

let harness: Harness;
let retailer: string;
let packetState = 'unknown';
beforeAll(async () => {
  harness = await Harness.start();
  harness.fake.answers.set('ingest.find-packet-state', () => ({ state: packetState }));
});
afterAll(() => harness.stop());
beforeEach(() => {
  retailer = harness.retailer((id) => retailerOf(id));
  harness.clock.aheadMs = 0;
  packetState = 'unknown';
});

interface Allotted {
  readonly link: string;
  readonly webview: { readonly href: string };
  readonly expires_timestamp: string;
}

async function allot(count: number): Promise<readonly Allotted[]> {
  const reply = await harness.fake.call(contracts.allotLinks, { body: { count } }, callOf(retailer));
  return (reply.body as { links: Allotted[] }).links;
}
const aLink = async () => (await allot(1))[0]?.link ?? '';

const post = async (link: string, change: object = {}, call: Partial<Call> = {}) => {
  const body = { ...postedReceipt(change), link };
  const reply = await harness.fake.call(contracts.createReceipt, { body }, callOf(retailer, call));
  return reply as { body: { id: string }; replayed?: boolean };
};

const codeOf = async (work: Promise<unknown>) => {
  const { status, code, extra } = await refusal(work);
  return [status, code, extra];
};

test('creates a hundred links without a command, each to the page of its future receipt', async () => {
  const commands = harness.commands();
  const links = await allot(100);
  expect(commands()).toEqual([]);
  for (const { link, webview } of links) {
    const { receiptId = '' } = allottedLinks(idSecret).open(link, retailer) ?? {};
    const token = linkTokens(idSecret).seal({ retailer, receiptId, generation: 0 });
    expect(webview.href).toBe(`${publicUrl}/r/${token}`);
  }
});

test('creates the same links in each execution of a request, and different links for each request', async () => {
  const call = callOf(retailer);
  const linksOf = async (of: Call) => {
    const { body } = await harness.fake.call(contracts.allotLinks, { body: { count: 100 } }, of);
    return (body as { links: Allotted[] }).links.map(({ link }) => link);
  };
  const first = await linksOf(call);
  expect(await linksOf(call)).toEqual(first);
  const other = await linksOf(callOf(retailer));
  expect(new Set([...first, ...other]).size).toBe(200);
});

test('costs one command even for a receipt with a link', async () => {
  await post(await aLink());
  const link = await aLink();
  const commands = harness.commands();
  await post(link);
  expect(commands()).toEqual(['insert']);
});

test('expires a link after 30 days unless it is used', async () => {
  const [used, unused] = [await aLink(), await aLink()];
  const { body } = await post(used);
  harness.clock.aheadMs = 30 * dayMs - 60_000;
  await post(await aLink());
  harness.clock.aheadMs = 30 * dayMs;
  expect(await codeOf(post(unused))).toEqual([422, 'link_not_found', undefined]);
  expect(await codeOf(post(used))).toEqual([409, 'link_taken', { id: body.id }]);
});

test('accepts a link until its last minute', async () => {
  const link = await aLink();
  harness.clock.aheadMs = 30 * dayMs - 60_000;
  await post(link);
});

test('treats a request with the same key as a retry, but not a redelivered message', async () => {
  const link = await aLink();
  const change = { transaction_id: newId() };
  const call = { idempotencyKey: 'k', id: newId() };
  const first = await post(link, change, call);
  expect(await post(link, change, call)).toEqual(first);
  expect(await post(link, change, { ...call, id: newId() })).toEqual({ ...first, replayed: true });
});

test('treats the link of a packet awaiting conversion as taken', async () => {
  const link = await aLink();
  packetState = 'accepted';
  const { receiptId: id } = allottedLinks(idSecret).open(link, retailer) ?? {};
  expect(await codeOf(post(link))).toEqual([409, 'link_taken', { id }]);
  packetState = 'failed';
  expect((await post(link)).body.id).toBe(id);
});

test('does not give a converted receipt the link of another receipt', async () => {
  const link = await aLink();
  const { body } = await post(link);
  const result = await harness.convert(retailer, newId(), [{ id: body.id }]);
  expect(result).toMatchObject({ receiptIds: [], failure: { errors: [{ code: 'link_taken' }] } });
});
