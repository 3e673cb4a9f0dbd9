import { NODATA, NOTFOUND, TIMEOUT } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { LRUCache } from 'lru-cache';
import type { MailRoute } from '../domain/validation';

export interface MailRoutesOptions {
  /** Addresses of DNS resolvers, such as `10.0.0.2` or `[::1]:5353`; empty for the machine's own. */
  readonly servers: readonly string[];
}

const cachedMax = 10_000;
/** How long a response is cached. TTLs are often seconds, but mail routes seldom change. */
const openKeptMs = 10 * 60_000;
const noneKeptMs = 60_000;
/**
 * The timeout of one query to one server. Even with a retry, it leaves time for the next query within the shortest
 * timeout of a validation.
 */
const tryTimeoutMs = 700;
const triesMax = 2;

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;
const isNothing = (error: unknown): boolean => codeOf(error) === NODATA || codeOf(error) === NOTFOUND;

/** Finds out with DNS whether a domain accepts mail. */
export class MailRoutes {
  private readonly known = new LRUCache<string, MailRoute>({ max: cachedMax });

  constructor(private readonly options: MailRoutesOptions) {}

  /**
   * @param domain in ASCII
   * @param signal aborts the queries; the result is then `timeout`. Only responses are cached, never failures.
   */
  async find(domain: string, signal: AbortSignal): Promise<MailRoute> {
    const known = this.known.get(domain);
    if (known) return known;
    const route = await this.ask(domain, signal);
    if (route === 'open' || route === 'none') {
      this.known.set(domain, route, { ttl: route === 'open' ? openKeptMs : noneKeptMs });
    }
    return route;
  }

  private async ask(domain: string, signal: AbortSignal): Promise<MailRoute> {
    if (signal.aborted) return 'timeout';
    const resolver = new Resolver({ timeout: tryTimeoutMs, tries: triesMax });
    if (this.options.servers.length > 0) resolver.setServers(this.options.servers);
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return (await this.hasMailServer(resolver, domain)) ?? (await this.hasAddress(resolver, domain));
    } catch (error) {
      return signal.aborted || codeOf(error) === TIMEOUT ? 'timeout' : 'failed';
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  /** Undefined if the domain has no MX record, in which case mail goes to the domain's own address. */
  private async hasMailServer(resolver: Resolver, domain: string): Promise<MailRoute | undefined> {
    try {
      const servers = await resolver.resolveMx(domain);
      if (servers.length === 0) return undefined;
      // RFC 7505: a single server without a name means that the domain does not accept mail.
      return servers.some(({ exchange }) => exchange !== '' && exchange !== '.') ? 'open' : 'none';
    } catch (error) {
      if (isNothing(error)) return undefined;
      throw error;
    }
  }

  private async hasAddress(resolver: Resolver, domain: string): Promise<MailRoute> {
    const looks = await Promise.allSettled([resolver.resolve4(domain), resolver.resolve6(domain)]);
    if (looks.some((look) => look.status === 'fulfilled' && look.value.length > 0)) return 'open';
    for (const look of looks) if (look.status === 'rejected' && !isNothing(look.reason)) throw look.reason;
    return 'none';
  }
}
