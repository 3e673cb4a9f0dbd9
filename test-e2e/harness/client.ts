import { randomBytes } from 'node:crypto';
import { bearerToken, signedQuery, type SignatureOptions } from './credentials';
import { request, type HttpResponse, type RequestOptions } from './http';

/** Called with every response, for example to compare it with the API description. */
export type Inspect = (method: string, path: string, answer: HttpResponse, options: RequestOptions) => void;

/** Sends requests with a given credential. */
export class Client {
  constructor(
    readonly baseUrl: string,
    private readonly credential: { headers?: Record<string, string>; query?: () => Record<string, string> },
    private readonly inspect: Inspect = () => {},
    private readonly defaults: Pick<RequestOptions, 'agent' | 'timeoutMs'> = {},
  ) {}

  /** A client with the same credential but other defaults for its requests. */
  with(defaults: Pick<RequestOptions, 'agent' | 'timeoutMs'>): Client {
    return new Client(this.baseUrl, this.credential, this.inspect, defaults);
  }

  async call(path: string, options: RequestOptions = {}): Promise<HttpResponse> {
    const query = { ...this.credential.query?.(), ...options.query };
    const headers = { ...this.credential.headers, ...options.headers };
    const answer = await request(this.baseUrl, path, { ...this.defaults, ...options, query, headers });
    this.inspect(options.method ?? (options.body === undefined ? 'GET' : 'POST'), path, answer, options);
    return answer;
  }

  get(
    path: string,
    query?: RequestOptions['query'],
    headers?: RequestOptions['headers'],
  ): Promise<HttpResponse> {
    return this.call(path, { ...(query && { query }), ...(headers && { headers }) });
  }

  post(path: string, body: unknown, headers?: RequestOptions['headers']): Promise<HttpResponse> {
    return this.call(path, { method: 'POST', body, ...(headers && { headers }) });
  }

  patch(path: string, body: unknown, headers?: RequestOptions['headers']): Promise<HttpResponse> {
    const merged = { 'content-type': 'application/json-patch+json', ...headers };
    return this.call(path, { method: 'PATCH', body: JSON.stringify(body), headers: merged });
  }

  put(path: string, body: unknown): Promise<HttpResponse> {
    return this.call(path, { method: 'PUT', body });
  }
}

/** A retailer for a single test, because tests must not see each other's data. */
export interface TestRetailer {
  readonly id: string;
  readonly bearer: { readonly id: number; readonly key: string; readonly secret: string };
  readonly hmac: { readonly id: number; readonly key: string; readonly secret: string };
  /** Sends requests with a bearer token that has all permissions. */
  readonly api: Client;
  /** Sends requests with a URL signature. */
  signed(options?: SignatureOptions): Client;
  /** Sends requests with a token of a new bearer client with these permissions and settings. */
  clientWith(body: object): Promise<Client>;
}

/** @throws Error with the body if the response has another status */
export function expectStatus(answer: HttpResponse, status: number): HttpResponse {
  if (answer.status !== status)
    throw new Error(`expected ${status}, got ${answer.status}: ${answer.bytes.toString()}`);
  return answer;
}

/** Creates a retailer as the operator, with a bearer client and an HMAC client that have all permissions. */
export async function newRetailer(
  baseUrl: string,
  operatorToken: string,
  settings: object = {},
  inspect?: Inspect,
): Promise<TestRetailer> {
  const operator = new Client(baseUrl, { headers: { authorization: `Bearer ${operatorToken}` } }, inspect);
  const id = `test-${randomBytes(6).toString('hex')}`;
  expectStatus(await operator.post('/operator/retailers', { id, name: `Retailer ${id}`, settings }), 201);
  const credential = async (authentication: 'bearer' | 'hmac') => {
    const body = { description: `all of ${id}`, permissions: ['view.*'] };
    const answer = await operator.post(`/operator/retailers/${id}/clients/${authentication}`, body);
    return expectStatus(answer, 201).body as { id: number; key: string; secret: string };
  };
  const [bearer, hmac] = await Promise.all([credential('bearer'), credential('hmac')]);
  const withBearer = (client: { key: string; secret: string }) =>
    new Client(baseUrl, { headers: { authorization: `Bearer ${bearerToken(client)}` } }, inspect);
  const api = withBearer(bearer);
  return {
    id,
    bearer,
    hmac,
    api,
    signed: (options) => new Client(baseUrl, { query: () => signedQuery(hmac, options) }, inspect),
    clientWith: async (body) => {
      const answer = await api.post('/clients/bearer', { description: 'a client of a test', ...body });
      return withBearer(expectStatus(answer, 201).body as { key: string; secret: string });
    },
  };
}
