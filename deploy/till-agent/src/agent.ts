import { randomUUID } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { StatusOptions } from './agent-status';
import { realDisk, writeDurably } from './disk';
import { HttpServer } from './http-server';
import { JobQueue } from './job-queue';
import { JobTaker } from './job-taker';
import { LinkStock } from './link-stock';
import { PlatformClient } from './platform-client';
import { Printer } from './printer';
import { RawListener } from './raw-listener';
import { readVersion } from './read-version';
import { Sender } from './sender';
import type { Settings } from './settings';
import { WatchedFolder } from './watched-folder';

const resendEveryMs = 1_000;

export interface Agent {
  /** The address that tills print to. */
  readonly rawPort: number;
  readonly httpPort: number;
  readonly status: StatusOptions;
  /** Resolves when jobs are no longer accepted or sent. Waiting jobs are on disk. */
  stop(): Promise<void>;
}

/** A random id in the data folder, so that agents that share a credential do not share idempotency keys. */
async function readAgentId(folder: string): Promise<string> {
  const name = 'agent-id';
  try {
    return await readFile(path.join(folder, name), 'utf8');
  } catch {
    const id = randomUUID();
    await writeDurably(realDisk, folder, name, Buffer.from(id));
    return id;
  }
}

function titleOf({ metadata }: Settings): string {
  const { store_reference: store, till_id: till } = metadata;
  const parts = [store !== undefined && `store ${store}`, till !== undefined && `till ${till}`].filter(
    Boolean,
  );
  return ['Till agent', parts.join(', ')].filter(Boolean).join(': ');
}

/**
 * Starts all parts of the agent.
 * @throws Error if an address is in use or the data folder cannot be written
 */
export async function startAgent(settings: Settings, log: (line: string) => void): Promise<Agent> {
  const { data: folder, url, metadata } = settings;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const queue = await JobQueue.open({ folder, jobsMax: settings.jobsMax, log });
  const platform = new PlatformClient(url, settings.key);
  const printer = settings.printer && new Printer({ ...settings.printer, queue, log });
  // These jobs were waiting to be printed, but there is no longer a printer.
  if (!printer) for (const number of queue.toPrint) await queue.printed(number);
  const links = settings.qr
    ? await LinkStock.open({
        folder: path.join(folder, 'links'),
        platform,
        baseUrl: url,
        storeReference: metadata['store_reference'],
        log,
      })
    : undefined;
  const taker = new JobTaker({ queue, contentType: settings.contentType, printer, links });
  const sender = new Sender({ queue, platform, metadata, version: await readVersion(), log });
  const { silenceMs, watch } = settings;
  const watched =
    watch === undefined
      ? undefined
      : new WatchedFolder({ folder: watch, queue, taker, quietMs: silenceMs, log });
  const status: StatusOptions = { queue, taker, sender, printer, links, watched };
  const raw = new RawListener({ ...settings.listen, queue, taker, silenceMs, log });
  const agentId = await readAgentId(folder);
  const http = new HttpServer({ ...settings.http, title: titleOf(settings), agentId, taker, status });

  await http.start();
  await raw.start();
  await watched?.start();
  const resending = setInterval(
    () => void queue.takeResent().catch((error: Error) => log(error.message)),
    resendEveryMs,
  );
  const running = [sender.run(), links?.run()];
  return {
    rawPort: raw.port,
    httpPort: http.port,
    status,
    async stop() {
      clearInterval(resending);
      await Promise.all([raw.stop(), http.stop(), watched?.stop()]);
      sender.stop();
      links?.stop();
      await Promise.all([...running, printer?.stop()]);
      platform.close();
      queue.close();
    },
  };
}
