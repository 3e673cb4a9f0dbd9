import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findDatabase } from '@receipts/local';
import { startTcpProxy, type TcpProxy } from '@receipts/testing';
import { closingAlso, openGround, type OpenGround, type Stage } from './stages';

const slowMs = 5_000;
const delayMs = 250;

/** A platform that reaches its database over this proxy. */
export async function openGroundOverProxy(settings: Readonly<Record<string, string>> = {}): Promise<{
  readonly ground: OpenGround;
  readonly line: TcpProxy;
}> {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'receipts-slow-'));
  const database = await findDatabase({ mongodbUri: undefined, dataDir });
  const uri = new URL(database.uri);
  const line = await startTcpProxy(Number(uri.port));
  const closeStore = async () => {
    await line.close();
    await database.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    uri.port = String(line.port);
    uri.searchParams.set('directConnection', 'true');
    const ground = await openGround({}, { ...settings, MONGODB_URI: uri.href });
    return { ground: closingAlso(ground, closeStore), line };
  } catch (error) {
    await closeStore();
    throw error;
  }
}

/** A database that responds to every command late. */
export function slowStoreStage(): Stage {
  let line: TcpProxy | undefined;
  return {
    async open() {
      const opened = await openGroundOverProxy();
      line = opened.line;
      return opened.ground;
    },
    faults: [
      {
        name: `store is ${2 * delayMs} ms late`,
        async inflict() {
          if (!line) throw new Error('the store has not been opened');
          line.delay(delayMs);
          await pause(slowMs);
          line.delay(0);
        },
      },
    ],
  };
}
