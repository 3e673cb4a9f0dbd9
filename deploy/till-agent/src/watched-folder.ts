import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { namesIn, remove } from './disk';
import { jobBytesMax } from './incoming-job';
import type { JobQueue } from './job-queue';
import type { JobTaker } from './job-taker';

export interface WatchedFolderOptions {
  readonly folder: string;
  readonly queue: Pick<JobQueue, 'has' | 'refusal'>;
  readonly taker: JobTaker;
  /** A file that has not changed for this long is complete. */
  readonly quietMs: number;
  readonly log: (line: string) => void;
}

interface Seen {
  readonly version: string;
  readonly sinceMs: number;
}

const everyMs = 500;
const claimedFolder = '.taking';
/** Names that programs conventionally use for incomplete files. */
const unfinished = /^\.|~$|\.(tmp|temp|part|partial|crdownload)$/i;
const contentTypes: Readonly<Record<string, string>> = {
  '.json': 'application/json',
  '.xml': 'application/xml',
  '.csv': 'text/csv',
  '.txt': 'text/plain',
  '.pdf': 'application/pdf',
};

const idLength = randomUUID().length;
/** How many characters of the original name are kept in the name of a claim, which may have at most 255 bytes. */
const nameLengthMax = 60;

/**
 * Accepts files that appear in a folder, oldest first. A complete file is moved to `.taking` with the id of its job as
 * its name before it is accepted, and removed afterwards. After a crash, the file's name therefore shows whether it was
 * accepted.
 */
export class WatchedFolder {
  /** Why files wait. */
  trouble: string | undefined;
  /** The name of a file that is left in place. */
  private tooLarge: string | undefined;
  private seen = new Map<string, Seen>();
  /** Claims whose jobs have been accepted. Their files cannot be removed while another program reads them. */
  private readonly taken = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;

  constructor(private readonly options: WatchedFolderOptions) {}

  /** Must be called before jobs are sent. */
  async start(): Promise<void> {
    await mkdir(this.claimed(), { recursive: true });
    for (const name of await namesIn(this.claimed())) {
      if (await this.options.queue.has(name.slice(0, idLength))) await remove(this.claimed(name));
    }
    const look = () => {
      this.looking ??= this.look().finally(() => (this.looking = undefined));
    };
    look();
    this.timer = setInterval(look, everyMs);
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
  }

  private async look(): Promise<void> {
    const { folder } = this.options;
    let trouble: string | undefined;
    try {
      // The file of an earlier claim.
      for (const name of await namesIn(this.claimed())) trouble = (await this.tried(name)) ?? trouble;
      for (const name of await this.complete()) {
        if (this.options.queue.refusal !== undefined) break;
        const claim = `${randomUUID()}-${name.slice(-nameLengthMax)}`;
        await rename(path.join(folder, name), this.claimed(claim));
        trouble = (await this.tried(claim)) ?? trouble;
      }
    } catch (error) {
      trouble = (error as Error).message;
    }
    this.report(trouble ?? this.tooLarge);
  }

  /** Accepts a file unless this is currently impossible. Other files do not wait for it. @returns why the file waits */
  private async tried(claim: string): Promise<string | undefined> {
    if (this.options.queue.refusal !== undefined) return undefined;
    try {
      await this.take(claim);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }

  private report(trouble: string | undefined): void {
    const { folder, log } = this.options;
    if (trouble !== undefined && this.trouble !== trouble) log(`files in ${folder} are waiting: ${trouble}`);
    this.trouble = trouble;
  }

  /** The names of complete files, oldest first. */
  private async complete(): Promise<string[]> {
    const now = performance.now();
    const seen = new Map<string, Seen>();
    const complete: { name: string; writtenMs: number }[] = [];
    this.tooLarge = undefined;
    for (const name of await namesIn(this.options.folder)) {
      if (unfinished.test(name)) continue;
      const found = await stat(path.join(this.options.folder, name)).catch(() => undefined);
      if (!found?.isFile() || found.size === 0) continue;
      const version = `${found.size} ${found.mtimeMs} ${found.ino}`;
      const before = this.seen.get(name);
      const sinceMs = before?.version === version ? before.sinceMs : now;
      seen.set(name, { version, sinceMs });
      if (found.size > jobBytesMax) this.tooLarge = `${name} is larger than ${jobBytesMax} bytes`;
      else if (now - sinceMs >= this.options.quietMs) complete.push({ name, writtenMs: found.mtimeMs });
    }
    this.seen = seen;
    return complete.sort((a, b) => a.writtenMs - b.writtenMs).map(({ name }) => name);
  }

  private async take(claim: string): Promise<void> {
    const contentType = contentTypes[path.extname(claim).toLowerCase()];
    if (!this.taken.has(claim)) {
      await this.options.taker.takeWhole(createReadStream(this.claimed(claim)), {
        id: claim.slice(0, idLength),
        ...(contentType !== undefined && { contentType }),
      });
      this.taken.add(claim);
    }
    await remove(this.claimed(claim));
    this.taken.delete(claim);
  }

  private claimed(...names: string[]): string {
    return path.join(this.options.folder, claimedFolder, ...names);
  }
}
