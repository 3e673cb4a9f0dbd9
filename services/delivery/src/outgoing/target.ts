import { isIP } from 'node:net';
import { addressGuard, type AddressGuard } from './address-guard';

/** What an installation allows in addition to https to public addresses. */
export interface TargetRules {
  readonly allowHttp: boolean;
  readonly guard: AddressGuard;
}

/** Names that only resolve inside a network. */
const innerNames = /(^|\.)(localhost|local|internal|intranet|home\.arpa)\.?$/i;

/** The names of cloud metadata services, which return credentials. They are rejected even within allowed networks. */
const metadataNames = /^metadata(\.google\.internal|\.goog)?\.?$/i;
const publicOnly = addressGuard([]);
const firstUserPort = 1024;
const webPorts: ReadonlySet<string> = new Set(['', '80', '443']);

/** The host of a URL as an address or a name, without the brackets of IPv6. The URL class has already normalised it. */
export function hostOf(url: URL): string {
  return url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
}

/**
 * Why posting to a URL is not allowed, as far as this is known before its name is resolved; undefined if it is allowed.
 * @param text a URL that matches the schema of endpoints
 */
export function faultOfTarget(text: string, { allowHttp, guard }: TargetRules): string | undefined {
  const url = new URL(text);
  if (url.protocol !== 'https:' && !allowHttp) return 'must be an https address';
  const host = hostOf(url);
  const isAddress = isIP(host) !== 0;
  const isInner = isAddress ? !publicOnly.isAllowed(host) : innerNames.test(host);
  // The addresses of an inner name are checked when it is resolved.
  const isAllowed = isAddress ? guard.isAllowed(host) : !isInner || guard.allowsPrivate;
  if (!isAllowed || metadataNames.test(host)) return 'must not point to a private address';
  // Within an allowed network, any port may be used.
  if (!isInner && !webPorts.has(url.port) && Number(url.port) < firstUserPort) {
    return `must use port 80 or 443, or a port from ${firstUserPort}`;
  }
  return undefined;
}
