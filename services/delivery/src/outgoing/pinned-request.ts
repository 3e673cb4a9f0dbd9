import http, { type ClientRequest } from 'node:http';
import https, { type RequestOptions } from 'node:https';
import { isIP, type TcpNetConnectOpts } from 'node:net';
import { faultOfTarget, hostOf, type TargetRules } from './target';
import type { ResolveHost } from './resolve-host';

/** The address, or an address that the name resolves to, is not allowed. */
export class AddressRefused extends Error {}

/** The pause before the next address of a name is tried; a slow address is abandoned after it. */
export const addressTimeoutMs = 1_000;

/** Allowed addresses of a host, and the options for a request that tries them in turn. */
export interface Pinned {
  readonly options: RequestOptions;
  readonly addressCount: number;
}

/**
 * Resolves the name of a URL once, and returns the options for a request to those of its addresses that are allowed, so
 * that a changed DNS response has no effect (DNS rebinding).
 * @throws AddressRefused if no address is allowed
 */
export async function pinnedOptions(
  text: string,
  { resolve, ...rules }: TargetRules & { readonly resolve: ResolveHost },
  signal: AbortSignal,
): Promise<Pinned> {
  if (faultOfTarget(text, rules) !== undefined) throw new AddressRefused(text);
  const url = new URL(text);
  const host = hostOf(url);
  const addresses = (await resolve(host, signal)).filter((one) => rules.guard.isAllowed(one));
  if (addresses.length === 0) throw new AddressRefused(text);
  const options: RequestOptions & Pick<TcpNetConnectOpts, `autoSelectFamily${'' | 'AttemptTimeout'}`> = {
    protocol: url.protocol,
    host,
    port: url.port === '' ? undefined : Number(url.port),
    path: `${url.pathname}${url.search}`,
    agent: false,
    setHost: false,
    headers: { host: url.host },
    // Node tries the addresses in turn (RFC 8305), if the lookup returns them all.
    lookup: (_name, _options, done) =>
      done(
        null,
        addresses.map((address) => ({ address, family: isIP(address) })),
      ),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: addressTimeoutMs,
    // The certificate is checked against the name, although the connection uses the address.
    ...(isIP(host) === 0 && { servername: host }),
  };
  return { options, addressCount: addresses.length };
}

/** @param pinned the options of `pinnedOptions`; they take precedence */
export function pinnedRequest(pinned: RequestOptions, options: RequestOptions): ClientRequest {
  const { request } = pinned.protocol === 'https:' ? https : http;
  return request({ ...options, ...pinned, headers: { ...options.headers, ...pinned.headers } });
}
