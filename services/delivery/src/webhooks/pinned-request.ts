import http, { type ClientRequest } from 'node:http';
import https, { type RequestOptions } from 'node:https';
import { isIP } from 'node:net';
import { faultOfTarget, hostOf, type TargetRules } from './domain/target';
import type { ResolveHost } from './resolve-host';

/** The address, or an address that the name resolves to, is not allowed. */
export class AddressRefused extends Error {}

/**
 * Resolves the name of a URL once, checks all its addresses, and returns the options for a request to the first
 * address, so that a changed DNS response has no effect (DNS rebinding).
 * @throws AddressRefused
 */
export async function pinnedOptions(
  text: string,
  { resolve, ...rules }: TargetRules & { readonly resolve: ResolveHost },
): Promise<RequestOptions> {
  if (faultOfTarget(text, rules) !== undefined) throw new AddressRefused(text);
  const url = new URL(text);
  const host = hostOf(url);
  const addresses = await resolve(host);
  const [address] = addresses;
  if (address === undefined || !addresses.every((one) => rules.guard.isAllowed(one))) {
    throw new AddressRefused(text);
  }
  return {
    protocol: url.protocol,
    host: address,
    port: url.port === '' ? undefined : Number(url.port),
    path: `${url.pathname}${url.search}`,
    agent: false,
    setHost: false,
    headers: { host: url.host },
    // The certificate is checked against the name, although the connection uses the address.
    ...(isIP(host) === 0 && { servername: host }),
  };
}

/** @param pinned as returned by `pinnedOptions`; its members take precedence */
export function pinnedRequest(pinned: RequestOptions, options: RequestOptions): ClientRequest {
  const { request } = pinned.protocol === 'https:' ? https : http;
  return request({ ...options, ...pinned, headers: { ...options.headers, ...pinned.headers } });
}
