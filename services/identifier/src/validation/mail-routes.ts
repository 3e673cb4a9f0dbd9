import { NODATA, NOTFOUND, TIMEOUT } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { LRUCache } from 'lru-cache';
import type { MailRoute } from '../domain/validation';

export interface MailRoutesOptions {
  /** Addresses of resolvers, such as `10.0.0.2` or `[::1]:5353`; the machine's own when empty. */
  readonly servers: readonly string[];
}

const cachedMax = 10_000;
/** How long an answer is believed. The servers' own times to live are often seconds, and mail routes change seldom. */
const openKeptMs = 10 * 60_000;
const noneKeptMs = 60_000;
/** One question to one server; with the second try it leaves room for the next question within the shortest time. */
const tryTimeoutMs = 700;
const triesMax = 2;

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;
const isNothing = (error: unknown): boolean => codeOf(error) === NODATA || codeOf(error) === NOTFOUND;

/** Asks the domain name system whether a domain takes mail. */
export class MailRoutes {
  private readonly known = new LRUCache<string, MailRoute>({ max: cachedMax });

  constructor(private readonly options: MailRoutesOptions) {}

  /**
   * @param domain in ASCII
   * @param signal ends the questions; the outcome is then `timeout`. Only answers are remembered, never failures.
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

  /** Undefined when the domain names no mail server, so that its own address would be written to. */
  private async hasMailServer(resolver: Resolver, domain: string): Promise<MailRoute | undefined> {
    try {
      const servers = await resolver.resolveMx(domain);
      if (servers.length === 0) return undefined;
      // RFC 7505: a single server without a name says that the domain takes no mail.
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
