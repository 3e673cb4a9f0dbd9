import { readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import {
  allReceipts,
  ApiError,
  createReceiptsClient,
  dataOf,
  followEvents,
  jsonPatch,
  newReceipts,
  currentCursor,
  verifyWebhook,
  type ReceiptsClient,
  type ReceiptsEvent,
  type WebhookMessage,
} from '@receipts/client';
import { until } from '@receipts/testing';
import ts from 'typescript';
import type { TestRetailer } from './harness/client';
import { uniqueId } from './harness/receipts';
import { aRetailer, sharedPlatform } from './harness/shared-platform';

const root = path.resolve(__dirname, '..');
const { baseUrl } = sharedPlatform().credentials;

/** The JSON of the first receipt that the README posts. */
function readmeReceipt(): string {
  const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
  const text = /\/receipts \\\n[\s\S]*?-d '(\{[\s\S]*?\})'\n/.exec(readme)?.[1];
  if (text === undefined) throw new Error('the README posts no receipt');
  return text;
}

let retailer: TestRetailer;
let client: ReceiptsClient;

beforeAll(async () => {
  retailer = await aRetailer();
  client = createReceiptsClient({
    baseUrl,
    credential: { kid: retailer.bearer.key, secret: retailer.bearer.secret },
  });
});

const aReceipt = (overrides: object = {}) => ({
  ...(JSON.parse(readmeReceipt()) as {
    transaction_id: string;
    localtime: string;
    store_reference: number;
    total: number;
    items: { name: string; quantity: number; total: number }[];
  }),
  transaction_id: uniqueId('typed'),
  ...overrides,
});
const post = async (overrides: object = {}) =>
  (await dataOf(client.POST('/receipts', { body: aReceipt(overrides) }))).id;

/** The compiler errors of programs that post these receipts with the generated types, per receipt. */
function faultsOf(receipts: readonly string[]): string[] {
  const folder = path.join(root, 'libs/client/src');
  const programs = new Map(
    receipts.map((receipt, n) => [
      path.join(folder, `posts-a-receipt-${n}.ts`),
      `import { createReceiptsClient, type components } from './index';
const body: components['schemas']['PostedReceipt'] = ${receipt};
const posted = createReceiptsClient({ baseUrl: 'https://receipts.example' }).POST('/receipts', { body });
export const id: Promise<string | undefined> = posted.then(({ data }) => data?.id);\n`,
    ]),
  );
  const options: ts.CompilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2023.d.ts'],
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
    esModuleInterop: true,
    types: ['node'],
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => programs.has(name) || fileExists(name);
  host.getSourceFile = (name, version, ...rest) => {
    const program = programs.get(name);
    return program === undefined
      ? getSourceFile(name, version, ...rest)
      : ts.createSourceFile(name, program, version);
  };
  const compiled = ts.createProgram([...programs.keys()], options, host);
  // An error in the generated types themselves counts for every program.
  const generated = ts
    .getPreEmitDiagnostics(compiled)
    .filter(({ file }) => !programs.has(file?.fileName ?? ''));
  return [...programs.keys()].map((name) =>
    [...generated, ...compiled.getSemanticDiagnostics(compiled.getSourceFile(name))]
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
      .join('\n'),
  );
}

it('the generated types accept what the service accepts and reject what it rejects', () => {
  const text = readmeReceipt();
  const [readme, translated, incomplete, mistyped, unknown] = faultsOf([
    text,
    text.replace('"name": "Café crème"', '"name": "Coffee", "name:fr": "Café"'),
    text.replace('"total": 25.48,', ''),
    text.replace('"total": 25.48,', '"total": "25.48",'),
    text.replace('"total": 25.48,', '"total": 25.48, "sum": 1,'),
  ]);
  expect([readme, translated]).toEqual(['', '']);
  expect(incomplete).toMatch(/'total' is missing/);
  expect(mistyped).toMatch(/'string' is not assignable to type 'number'/);
  expect(unknown).toMatch(/sum.*does not exist/);
});

it("posts the README's receipt and reads it back", async () => {
  const id = await post();
  const receipt = await dataOf(client.GET('/receipts/{id}', { params: { path: { id } } }));
  expect([receipt.id, receipt.total, receipt.items[0]?.name]).toEqual([id, 25.48, 'Red cotton shirt']);
  const patched = await dataOf(
    client.PATCH('/receipts/{id}', {
      params: { path: { id } },
      headers: jsonPatch,
      body: [{ op: 'replace', path: '/incomplete', value: true }],
    }),
  );
  expect(patched.incomplete).toBe(true);
});

it('an error contains its reason', async () => {
  const body = aReceipt();
  const { id } = await dataOf(client.POST('/receipts', { body }));
  const refusal = await dataOf(client.POST('/receipts', { body })).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(ApiError);
  expect(refusal).toMatchObject({ status: 409, code: 'duplicate_transaction_id', body: { id } });
});

it('a POST whose response is lost creates one receipt and succeeds', async () => {
  let lost = 0;
  const unlucky = createReceiptsClient({
    baseUrl,
    credential: { kid: retailer.bearer.key, secret: retailer.bearer.secret },
    retries: { pauseMs: 1 },
    async send(request) {
      const response = await fetch(request);
      if (request.method !== 'POST' || lost++ > 0) return response;
      await response.arrayBuffer();
      throw new TypeError('the connection broke');
    },
  });
  const { data, response } = await unlucky.POST('/receipts', { body: aReceipt() });
  expect([response.status, response.headers.get('idempotent-replayed'), lost]).toEqual([201, 'true', 2]);
  const again = await dataOf(client.GET('/receipts/{id}', { params: { path: { id: data?.id ?? '' } } }));
  expect(again.id).toBe(data?.id);
});

it('raw bytes reach the point-of-sale endpoint unchanged', async () => {
  const { response } = await client.POST('/pos/receipts', {
    headers: { 'Content-Type': 'text/plain' },
    body: 'TOTAL 1.00',
    bodySerializer: (text: string) => text,
  });
  expect(response.status).toBe(202);
  const id = response.headers.get('location')?.split('/').at(-1) ?? '';
  const packet = await dataOf(client.GET('/pos/packets/{id}', { params: { path: { id } } }));
  expect([packet.content_type, packet.size]).toEqual(['text/plain', 10]);
});

it('reads a whole list and follows new receipts without a gap', async () => {
  const identifier = `${uniqueId('typed')}@follow.example`;
  const filters = { consumer: [identifier], count: 3 };
  const before = await Promise.all(Array.from({ length: 7 }, () => post({ identifier })));
  const listed: string[] = [];
  for await (const { id } of allReceipts(client, filters)) listed.push(id);
  expect([...listed].sort()).toEqual([...before].sort());

  let cursor = await currentCursor(client, filters);
  const posting = Promise.all(Array.from({ length: 10 }, () => post({ identifier })));
  const seen: string[] = [];
  await until(
    'ten arrivals',
    async () => {
      for await (const page of newReceipts(client, cursor)) {
        seen.push(...page.receipts.map(({ id }) => id));
        cursor = page.cursor;
      }
      return seen.length >= 10;
    },
    60_000,
  );
  expect([...seen].sort()).toEqual([...(await posting)].sort());
});

it('a signature gives access to its consumer’s receipts, and nothing else', async () => {
  const identifier = `${uniqueId('typed')}@signed.example`;
  const [own, other] = await Promise.all([post({ identifier }), post()]);
  const device = createReceiptsClient({
    baseUrl,
    credential: { key: retailer.hmac.key, secret: retailer.hmac.secret, consumer: identifier },
  });
  const ids: string[] = [];
  for await (const { id } of allReceipts(device)) ids.push(id);
  expect(ids).toEqual([own]);
  const get = (id: string) => device.GET('/receipts/{id}', { params: { path: { id } } });
  expect((await get(own)).data?.identifier).toBe(identifier);
  expect((await get(other)).response.status).toBe(404);
});

it('follows the event feed from a cursor', async () => {
  const pages = followEvents(client, { types: ['receipt.created'] });
  const start = (await pages.next()).value as { cursor: string };
  const posted = await Promise.all(Array.from({ length: 5 }, () => post()));
  const seen: ReceiptsEvent[] = [];
  for await (const { events } of followEvents(client, { cursor: start.cursor })) {
    // Events of receipts that were posted shortly before may also arrive after the start.
    seen.push(...events.filter(({ subject }) => posted.includes(subject)));
    if (seen.length >= posted.length) break;
  }
  expect(seen.map(({ subject }) => subject).sort()).toEqual([...posted].sort());
  const [first] = seen;
  expect(first?.type === 'receipt.created' && first.data.receipt.total).toBe(25.48);
});

it('verifies a webhook, and rejects a forged one', async () => {
  const messages: (WebhookMessage | Error)[] = [];
  let secret = '';
  const receiver = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      try {
        messages.push(verifyWebhook(secret, request.headers, Buffer.concat(chunks)));
        response.writeHead(204).end();
      } catch (error) {
        messages.push(error as Error);
        response.writeHead(401).end();
      }
    });
  });
  await new Promise<void>((ready) => receiver.listen(0, '127.0.0.1', ready));
  try {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const endpoint = await dataOf(
      client.POST('/webhooks/endpoints', { body: { url, event_types: ['receipt.created'] } }),
    );
    secret = endpoint.secret ?? '';
    await fetch(url, { method: 'POST', body: '{"type":"receipt.created","data":{}}' });
    const id = await post();
    const message = await until('a message', () => messages.find((each) => !(each instanceof Error)));
    expect(message).toMatchObject({ type: 'receipt.created', data: { id } });
    expect(messages[0]).toBeInstanceOf(Error);
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
});
