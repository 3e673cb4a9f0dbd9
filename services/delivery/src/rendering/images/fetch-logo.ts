import type { IncomingMessage } from 'node:http';
import { within } from '@receipts/concurrency';
import { logoBytesMax } from '@receipts/contracts';
import { boundedBytes } from '@receipts/host';
import { LRUCache } from 'lru-cache';
import { logoOf, type FindLogo, type Logo } from './logo';
import type { AddressGuard } from '../../outgoing/address-guard';
import { pinnedOptions, pinnedRequest } from '../../outgoing/pinned-request';
import type { ResolveHost } from '../../outgoing/resolve-host';

interface LogoOptions {
  readonly guard: AddressGuard;
  readonly resolve: ResolveHost;
  /** Returns a logo that was uploaded to this platform; undefined for the address of another site. */
  readonly uploaded?: (url: string) => Promise<Buffer> | undefined;
  /** From the DNS lookup to the last byte; 3 s by default. */
  readonly timeoutMs?: number;
}

const timeoutDefaultMs = 3_000;
const cachedMax = 100;
const cachedMs = 60 * 60 * 1000;
/** An e-mail does not wait for a logo that could not be loaded a moment ago. */
const failedMs = 5 * 60 * 1000;

async function download(url: string, rules: LogoOptions, signal: AbortSignal): Promise<Buffer> {
  const { options } = await pinnedOptions(url, { ...rules, allowHttp: true }, signal);
  const request = pinnedRequest(options, { headers: { accept: 'image/png, image/jpeg' }, signal });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.on('response', resolve).on('error', reject).end();
  });
  if (response.statusCode !== 200) {
    response.destroy();
    throw new Error(`the server of the logo responded with ${response.statusCode}`);
  }
  return boundedBytes(response, logoBytesMax);
}

/**
 * Loads the logos that e-mails and PDFs contain, and keeps them for an hour. Connects only to the addresses that webhooks
 * may be posted to; uploaded logos are requested from their service, as the platform may have a private address.
 */
export function logoFetcher(options: LogoOptions): FindLogo {
  const { timeoutMs = timeoutDefaultMs, uploaded = () => undefined } = options;
  const known = new LRUCache<string, Promise<Logo | undefined>>({ max: cachedMax, ttl: cachedMs });
  const load = async (url: string): Promise<Logo | undefined> => {
    try {
      const content = uploaded(url) ?? download(url, options, AbortSignal.timeout(timeoutMs));
      // A DNS lookup cannot be aborted.
      const loaded = logoOf(await within(timeoutMs, 'loading the logo', content));
      if (loaded) return loaded;
    } catch {
      // Receipts are sent without their logo.
    }
    known.set(url, Promise.resolve(undefined), { ttl: failedMs });
    return undefined;
  };
  return async (url) => {
    if (url === null) return undefined;
    const found = known.get(url);
    if (found) return found;
    const loading = load(url);
    known.set(url, loading);
    return loading;
  };
}
