import { createHmac, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import type { Credential } from '@receipts/contracts';
import { idAllotter, ServiceError, unavailable } from '@receipts/kernel';
import { FakeBroker } from '@receipts/messaging/testing';
import { sign, type SignOptions } from 'jsonwebtoken';
import { BearerTokens } from '../authentication/authenticator';
import { CredentialBook } from '../authentication/credential-book';
import { createGateway, type GatewayOptions } from '../gateway';
import { Backlog } from '../http/upstream';
import { defaultSizeLimits } from '../http/limits';
import { bodyBudgetLimits } from '../http/request-limits';
import type { GatewayServer } from '../http/server';
import { testContracts } from './contracts';

export const secret = randomBytes(32).toString('base64');
export const operatorToken = 'operator-token-for-tests';
export const namedOperatorToken = 'token-of-ann-for-tests';

export const times = {
  headersTimeoutMs: 5_000,
  requestTimeoutMs: 30_000,
  keepAliveMs: 5_000,
};

/** A sealer that does not encrypt. */
export const openSeal = (sealed: string) => sealed.slice('sealed:'.length);

export function credential(overrides: Partial<Credential> = {}): Credential {
  return {
    retailer: 'demo',
    authentication: 'bearer',
    id: 1,
    key: 'kid-1',
    version: 1,
    secret: `sealed:${secret}`,
    permissions: ['view.*'],
    revoked: false,
    signature_max_age: null,
    settings: {},
    revoked_tokens: [],
    tokens_revoked_before: null,
    ...overrides,
  };
}

export const hmacKey = 'signature-key-000001';
export const hmacCredential = (overrides: Partial<Credential> = {}) =>
  credential({ authentication: 'hmac', id: 2, key: hmacKey, ...overrides });

/** A fake admin that only serves credentials. */
class FakeAdmin {
  readonly credentials = new Map<string, Credential>();
  found = 0;
  fails = false;

  constructor(...credentials: readonly Credential[]) {
    for (const each of credentials) this.credentials.set(each.key, each);
  }

  list(after: string | undefined) {
    if (this.fails) return Promise.reject(new ServiceError(unavailable));
    const all = [...this.credentials.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
    const rest = all.filter(({ key }) => after === undefined || key > after);
    const page = rest.slice(0, 2);
    return Promise.resolve({ credentials: page, next: rest.length > 2 ? (page.at(-1)?.key ?? null) : null });
  }

  find(key: string) {
    this.found++;
    if (this.fails) return Promise.reject(new ServiceError(unavailable));
    return Promise.resolve(this.credentials.get(key) ?? null);
  }
}

interface LogLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly msg: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface Harness {
  readonly url: string;
  readonly port: number;
  readonly broker: FakeBroker;
  readonly admin: FakeAdmin;
  readonly book: CredentialBook;
  readonly lines: LogLine[];
  readonly gateway: GatewayServer;
  close(): Promise<void>;
}

/** A gateway on a free port, with a fake broker and a fake admin behind it. */
export async function startHarness(overrides: Partial<GatewayOptions> = {}): Promise<Harness> {
  const broker = new FakeBroker();
  broker.answer = () => ({
    meta: { id: '1', version: 3, contentType: 'text/csv' },
    body: Buffer.from('{"id":"1"}'),
  });
  const admin = new FakeAdmin(credential(), hmacCredential());
  const lines: LogLine[] = [];
  const write =
    (level: LogLine['level']) =>
    (msg: string, fields: LogLine['fields'] = {}) =>
      void lines.push({ level, msg, fields });
  const log = { debug: () => {}, info: write('info'), warn: write('warn'), error: write('error') };
  const book = new CredentialBook({ source: admin, openSeal, log });
  await book.copy.readAll();
  const gateway = createGateway({
    contracts: [testContracts],
    pages: [],
    broker,
    credentials: book,
    bearer: new BearerTokens(book),
    operatorTokens: { operator: operatorToken, ann: namedOperatorToken },
    originsOf: () => Promise.resolve([]),
    ids: idAllotter('a secret for tests'),
    limits: defaultSizeLimits,
    rates: { readsPerSecond: 100_000, writesPerSecond: 100_000, burstSeconds: 1 },
    bodies: bodyBudgetLimits,
    requests: { requestsMax: 1_000, loopLagMsMax: 0 },
    backlog: new Backlog(1_000),
    times,
    upstreamTimeoutMs: 4_000,
    upstreamLatencyMsMax: 0,
    connectionsMax: 1_000,
    basePath: '',
    httpsOnly: false,
    trustedProxies: 0,
    log,
    traceOf: () => ({
      traceId: '1'.repeat(32),
      traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-00`,
    }),
    isDraining: () => false,
    loopLagMs: () => 0,
    ...overrides,
  });
  const port = await gateway.listen(0, '127.0.0.1');
  const close = async () => {
    await gateway.close(100);
  };
  return { url: `http://127.0.0.1:${port}`, port, broker, admin, book, lines, gateway, close };
}

export function bearer(payload: object | string = {}, options: SignOptions & { key?: string } = {}): string {
  const { key = secret, ...rest } = options;
  return sign(payload, Buffer.from(key, 'base64'), { algorithm: 'HS256', keyid: 'kid-1', ...rest });
}

export const authorization = () => ({ authorization: `Bearer ${bearer()}` });

export const nowSeconds = () => Math.floor(Date.now() / 1000);

/** The query arguments of a URL signature. */
export function signed(
  options: { consumer?: string; expires?: number | string; key?: string } = {},
): URLSearchParams {
  const { consumer, expires = nowSeconds() + 600, key = hmacKey } = options;
  const message = consumer === undefined ? `${key}\n${expires}` : `${key}\n${consumer}\n${expires}`;
  const signature = createHmac('sha256', Buffer.from(secret, 'base64')).update(message).digest('base64');
  return new URLSearchParams({
    key,
    ...(consumer !== undefined && { consumer }),
    expires: String(expires),
    signature,
  });
}

export interface ErrorBody {
  readonly description: string;
  readonly status: string;
  readonly code?: string;
  readonly errors?: readonly { readonly path: string; readonly code: string; readonly message: string }[];
  readonly request_id: string;
}

/** Sends raw bytes and returns everything received before the connection was closed, or the time was up. */
export function sendRaw(port: number, pieces: readonly (string | Buffer)[], waitMs = 3_000): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    const timer = setTimeout(() => socket.destroy(), waitMs);
    socket.on('data', (data) => (received += data.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(received);
    });
    for (const piece of pieces)
      socket.write(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece);
  });
}

/** The error body of a raw response. */
export function errorOf(answer: string): ErrorBody {
  return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as ErrorBody;
}
