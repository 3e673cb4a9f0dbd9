import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';

/** Returns all addresses of a host, or rejects. */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

const queryTimeoutMs = 1_500;
const queryTries = 2;

/**
 * Queries the name servers directly. The operating system's resolver shares four threads with all file access, so a
 * hundred names with unresponsive servers would block the process.
 */
export function hostResolver(): ResolveHost {
  const resolver = new Resolver({ timeout: queryTimeoutMs, tries: queryTries });
  return async (host) => {
    if (isIP(host) !== 0) return [host];
    // RFC 6761 section 6.3: localhost is never looked up.
    if (/^(.*\.)?localhost\.?$/i.test(host)) return ['127.0.0.1', '::1'];
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const found = [v4, v6].flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    if (found.length === 0) throw (v4 as PromiseRejectedResult).reason as Error;
    return found;
  };
}
