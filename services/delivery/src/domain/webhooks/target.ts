import { isIP } from 'node:net';
import type { AddressGuard } from './address-guard';

/** What an installation allows beyond https to public addresses. */
export interface TargetRules {
  readonly allowHttp: boolean;
  readonly guard: AddressGuard;
}

/** Names that resolve to nothing outside, and to something here. */
const innerNames = /(^|\.)(localhost|local|internal|intranet|home\.arpa)\.?$/i;

/** The host of a URL as an address or a name, without the brackets of IPv6. The URL has turned all odd forms into one. */
export function hostOf(url: URL): string {
  return url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
}

/**
 * Why a URL cannot be posted to, as far as it can be told without resolving its name; undefined when it can.
 * @param text a URL that fits the schema of endpoints
 */
export function faultOfTarget(text: string, { allowHttp, guard }: TargetRules): string | undefined {
  const url = new URL(text);
  if (url.protocol !== 'https:' && !allowHttp) return 'must be an https address';
  const host = hostOf(url);
  const loopbackAllowed = guard.isAllowed('127.0.0.1');
  if (isIP(host) !== 0 ? !guard.isAllowed(host) : innerNames.test(host) && !loopbackAllowed) {
    return 'must not lead to a private address';
  }
  return undefined;
}
