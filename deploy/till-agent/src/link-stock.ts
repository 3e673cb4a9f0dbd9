import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { BackOff } from './back-off';
import { namesIn, realDisk, remove, syncFolder, writeDurably, type Disk } from './disk';
import type { PrintedLink } from './job-file';
import { pause } from './pause';
import type { PlatformClient } from './platform-client';
import { describeAnswer, retryAfterMs } from './post-outcome';
import { Serial } from './serial';

export interface LinkStockOptions {
  readonly folder: string;
  readonly platform: Pick<PlatformClient, 'request' | 'clock'>;
  /** The base URL of the platform, against which page addresses are resolved. */
  readonly baseUrl: string;
  readonly storeReference: string | undefined;
  readonly log: (line: string) => void;
  readonly disk?: Disk;
  /** The delay before used links are replaced, so that the links of several slips are fetched together; 3 s by default. */
  readonly topUpAfterMs?: number;
}

interface StoredLink extends PrintedLink {
  /** In milliseconds of the till's clock, even if that is wrong. */
  readonly expiresAtMs: number;
}

interface AllottedLink {
  readonly link: string;
  readonly webview: { readonly href: string };
  readonly expires_timestamp: string;
}

export const stockMax = 100;
const defaultTopUpAfterMs = 3_000;
/** Expired links are replaced even if no slip is printed. */
const checkEveryMs = 3_600_000;
const created = 201;

/**
 * Links that were reserved in advance, one file each, so that QR codes can be printed while the platform is
 * unavailable. A link is removed from the disk before it is used, so that it is printed only once.
 */
export class LinkStock {
  /** Why the stock could not be filled; undefined after a success. */
  trouble: string | undefined;
  private readonly links = new Map<string, StoredLink>();
  private readonly serial = new Serial();
  private readonly stopping = new AbortController();
  private wake: () => void = () => {};

  private constructor(private readonly options: LinkStockOptions) {}

  static async open(options: LinkStockOptions): Promise<LinkStock> {
    const stock = new LinkStock(options);
    await mkdir(options.folder, { recursive: true, mode: 0o700 });
    for (const name of await namesIn(options.folder)) await stock.load(name);
    return stock;
  }

  get size(): number {
    return this.links.size;
  }

  /** A link for exclusive use; undefined if there is none. */
  take(): Promise<PrintedLink | undefined> {
    return this.serial.run(async () => {
      await this.dropExpired();
      const [first] = [...this.links.values()].sort((a, b) => a.expiresAtMs - b.expiresAtMs);
      if (!first) return undefined;
      this.links.delete(first.link);
      await remove(this.fileOf(first.link));
      await syncFolder(this.options.folder);
      this.wake();
      return { link: first.link, href: first.href };
    });
  }

  /** Keeps the stock full. Returns after `stop`. */
  async run(): Promise<void> {
    const { signal } = this.stopping;
    const backOff = new BackOff();
    while (!signal.aborted) {
      const retryMs = await this.topUp(signal);
      if (retryMs === undefined) {
        backOff.reset();
        await this.used(signal);
        await pause(this.options.topUpAfterMs ?? defaultTopUpAfterMs, signal);
      } else await pause(backOff.nextMs(retryMs), signal);
    }
  }

  stop(): void {
    this.stopping.abort();
    this.wake();
  }

  private async load(name: string): Promise<void> {
    const file = path.join(this.options.folder, name);
    try {
      const link = JSON.parse(await readFile(file, 'utf8')) as StoredLink;
      if (name === `${link.link}.json`) return void this.links.set(link.link, link);
    } catch {
      // A link that cannot be read is not used.
    }
    await remove(file);
  }

  private async dropExpired(): Promise<void> {
    for (const { link, expiresAtMs } of this.links.values()) {
      if (expiresAtMs > Date.now()) continue;
      this.links.delete(link);
      await remove(this.fileOf(link));
    }
  }

  /** Resolves when a link was used, or after an hour. */
  private async used(signal: AbortSignal): Promise<void> {
    if (this.size < stockMax || signal.aborted) return;
    const waiting = new AbortController();
    this.wake = () => waiting.abort();
    await pause(checkEveryMs, waiting.signal);
  }

  /** Undefined if the stock is full, otherwise the delay that the platform requested, in milliseconds. */
  private async topUp(signal: AbortSignal): Promise<number | undefined> {
    await this.serial.run(() => this.dropExpired());
    const count = stockMax - this.size;
    if (count === 0) return undefined;
    const { platform, storeReference, log } = this.options;
    const body = Buffer.from(
      JSON.stringify({ count, ...(storeReference !== undefined && { store_reference: storeReference }) }),
    );
    try {
      const answer = await platform.request(
        {
          method: 'POST',
          path: '/receipts/_link',
          headers: { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
          body: {
            bytes: body.length,
            async *read() {
              yield body;
            },
          },
        },
        signal,
      );
      if (answer.status === created) {
        await this.store((JSON.parse(answer.text) as { links: AllottedLink[] }).links);
        this.trouble = undefined;
        return undefined;
      }
      this.fail(describeAnswer(answer), log);
      return retryAfterMs(answer, platform.clock.now());
    } catch (error) {
      if (!signal.aborted) this.fail((error as Error).message, log);
      return 0;
    }
  }

  private fail(reason: string, log: (line: string) => void): void {
    if (this.trouble !== reason) log(`no links for QR codes: ${reason}`);
    this.trouble = reason;
  }

  private async store(links: readonly AllottedLink[]): Promise<void> {
    const { disk = realDisk, folder, platform, baseUrl } = this.options;
    const tillAheadMs = Date.now() - platform.clock.now();
    for (const { link, webview, expires_timestamp: expires } of links) {
      if (!/^[A-Za-z0-9_-]{1,64}$/.test(link)) continue;
      const stored: StoredLink = {
        link,
        href: new URL(webview.href, baseUrl).href,
        expiresAtMs: Date.parse(expires) + tillAheadMs,
      };
      await writeDurably(disk, folder, `${link}.json`, Buffer.from(JSON.stringify(stored)));
      this.links.set(link, stored);
    }
  }

  private fileOf(link: string): string {
    return path.join(this.options.folder, `${link}.json`);
  }
}
