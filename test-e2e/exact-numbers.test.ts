import type { TestRetailer } from './harness/client';
import { aReceipt, uniqueId } from './harness/receipts';
import { aRetailer } from './harness/shared-platform';

let retailer: TestRetailer;
beforeAll(async () => {
  retailer = await aRetailer();
});

const long = '12345678901234567890';
const other = '12345678901234567891';
const precise = '0.1000000000000000055';

/** A receipt as text, because JavaScript's numbers would lose the digits. */
function receiptText(number: string, transactionId = uniqueId()): string {
  const marked = aReceipt({ transaction_id: transactionId, properties: { number: '#', list: [0.1, '#'] } });
  const text = JSON.stringify(marked).replaceAll('"#"', number);
  return text.replace('"items":[{', `"items":[{"unit_price":${precise},"properties":{"number":${number}},`);
}

async function request(method: string, path: string, body?: string, headers: Record<string, string> = {}) {
  const sent = body === undefined ? {} : { body };
  const type = { 'content-type': 'application/json' };
  const answer = await retailer.api.call(path, { method, ...sent, headers: { ...type, ...headers } });
  return { status: answer.status, text: answer.bytes.toString() };
}

async function posted(text: string): Promise<string> {
  const { status, text: answer } = await request('POST', '/receipts', text);
  expect([status, answer]).toEqual([201, expect.any(String)]);
  return (JSON.parse(answer) as { id: string }).id;
}

test('numbers come back with all their digits, from a single post and from a batch', async () => {
  const id = await posted(receiptText(long));
  const { text } = await request('GET', `/receipts/${id}`);
  expect(text).toContain(`"number":${long},"list":[0.1,${long}]`);
  expect(text).toContain(`"unit_price":${precise}`);

  const lines = `${receiptText(long)}\n${receiptText(other)}\n`;
  const batch = await request('POST', '/receipts/_batch', lines, { 'content-type': 'application/x-ndjson' });
  const { results } = JSON.parse(batch.text) as { results: { id: string }[] };
  const stored = await Promise.all(results.map((result) => request('GET', `/receipts/${result.id}`)));
  expect(stored.map(({ text: one }) => one.includes(`"number":${long}`))).toEqual([true, false]);
  expect(stored[1]?.text).toContain(`"number":${other}`);
});

test('a patch keeps the digits of the receipt, and those that it adds', async () => {
  const id = await posted(receiptText(long));
  const patch = `[{"op":"add","path":"/properties/added","value":98765432109876543210}]`;
  const { status, text } = await request('PATCH', `/receipts/${id}`, patch, {
    'content-type': 'application/json-patch+json',
  });
  expect(status).toBe(200);
  expect(text).toContain('"added":98765432109876543210');
  const voided = await request('POST', `/receipts/${id}/_void`, '{}');
  for (const one of [voided.text, (await request('GET', `/receipts/${id}`)).text])
    expect([
      one.includes(`"number":${long},"list":[0.1,${long}]`),
      one.includes('98765432109876543210'),
    ]).toEqual([true, true]);
});

test('events carry all digits', async () => {
  const start = await retailer.api.get('/events', { types: 'receipt.created' });
  const next = start.body._links.next.href as string;
  await posted(receiptText(long));
  const events = await retailer.api.get(next, { wait: 15 });
  expect(events.bytes.toString()).toContain(`"number":${long},"list":[0.1,${long}]`);
});

test('a request that differs in the last digit is another request', async () => {
  const key = uniqueId();
  const transactionId = uniqueId();
  const keyed = (number: string) =>
    request('POST', '/receipts', receiptText(number, transactionId), { 'idempotency-key': key });
  expect((await keyed(long)).status).toBe(201);
  expect((await keyed(long)).status).toBe(201);
  const mismatch = await keyed(other);
  expect([mismatch.status, (JSON.parse(mismatch.text) as { code: string }).code]).toEqual([
    409,
    'idempotency_mismatch',
  ]);
});
