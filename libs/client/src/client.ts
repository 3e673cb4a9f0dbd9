import createFetchClient, { type Client, type Middleware } from 'openapi-fetch';
import { bearerToken, signUrl, type BearerKey, type SignatureKey, type SignatureScope } from './credentials';
import type { paths } from './generated/api';
import { defaultRetryLimits, retryingFetch, type RetryLimits } from './retrying-fetch';

/** The caller: with an issued token, with tokens created from a bearer client's key, or with signed URLs. */
export type Credential = { readonly token: string } | BearerKey | (SignatureKey & SignatureScope);

export interface ReceiptsClientOptions {
  /** The base URL of the service, including a path prefix if there is one. */
  readonly baseUrl: string;
  /** Not needed for public operations. */
  readonly credential?: Credential;
  readonly retries?: Partial<RetryLimits>;
  /** Sends one request; defaults to the global `fetch`. */
  readonly send?: (request: Request) => Promise<Response>;
}

export type ReceiptsClient = Client<paths>;

/** The fraction of a token's lifetime after which it is replaced. */
const tokenLifetimeSeconds = 3600;
const tokenRenewedAfterMs = (tokenLifetimeSeconds * 1000) / 2;

function tokensOf(key: BearerKey): () => string {
  let token = '';
  let madeAt = -Infinity;
  return () => {
    if (Date.now() - madeAt > tokenRenewedAfterMs || Date.now() < madeAt) {
      madeAt = Date.now();
      token = bearerToken(key, tokenLifetimeSeconds, madeAt);
    }
    return token;
  };
}

function authentication(credential: Credential): Middleware {
  if ('token' in credential || 'kid' in credential) {
    const token = 'token' in credential ? () => credential.token : tokensOf(credential);
    return { onRequest: ({ request }) => request.headers.set('authorization', `Bearer ${token()}`) };
  }
  return { onRequest: ({ request }) => new Request(signUrl(request.url, credential, credential), request) };
}

/**
 * A client with typed paths, parameters, bodies and responses from the API description. `GET`, `POST`, `PATCH`, `PUT`
 * and `DELETE` return `{data, error, response}` and throw only if there is no response.
 */
export function createReceiptsClient(options: ReceiptsClientOptions): ReceiptsClient {
  const { baseUrl, credential, retries, send = (request) => fetch(request) } = options;
  const client = createFetchClient<paths>({
    baseUrl,
    // Lists are comma-separated.
    querySerializer: { array: { style: 'form', explode: false } },
    fetch: retryingFetch(send, { ...defaultRetryLimits, ...retries }),
  });
  if (credential) client.use(authentication(credential));
  return client;
}

/** The headers of a PATCH whose body is a JSON Patch document. */
export const jsonPatch = { 'Content-Type': 'application/json-patch+json' } as const;
