import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';

/** Returns all addresses of a host, or rejects. */
export type ResolveHost = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

type Find = (host: string) => Promise<readonly string[]>;

/** As the system does: with the hosts file, the search list and its order of addresses. */
const findInSystem: Find = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);

const failedNamesMax = 1_000;
const failedMs = 60 * 60_000;

/**
 * Resolves names with the system's resolver, of which a process can run only two calls at a time. Names that did not
 * resolve last time are looked up one after the other, so that those with unresponsive name servers delay no others.
 */
export function hostResolver(find: Find = findInSystem): ResolveHost {
  const failed = new LRUCache<string, true>({ max: failedNamesMax, ttl: failedMs });
  const running = new Map<string, Promise<readonly string[]>>();
  let last: Promise<unknown> = Promise.resolve();
  const start = (host: string): Promise<readonly string[]> => {
    const lookup = find(host)
      .then(
        (found) => {
          failed.delete(host);
          return found;
        },
        (error: unknown) => {
          failed.set(host, true);
          throw error;
        },
      )
      .finally(() => running.delete(host));
    running.set(host, lookup);
    return lookup;
  };
  return async (host, signal) => {
    if (isIP(host) !== 0) return [host];
    // RFC 6761 section 6.3: localhost is never looked up.
    if (/^(.*\.)?localhost\.?$/i.test(host)) return ['127.0.0.1', '::1'];
    const current = running.get(host);
    if (current) return current;
    if (!failed.has(host)) return start(host);
    const lookup = last.then(() => {
      signal.throwIfAborted();
      return running.get(host) ?? start(host);
    });
    last = lookup.catch(() => undefined);
    return lookup;
  };
}
