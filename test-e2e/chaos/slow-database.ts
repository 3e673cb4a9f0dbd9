import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findDatabase } from '@receipts/local';
import { startTcpProxy, type TcpProxy } from '@receipts/testing';
import { closingAlso, openTarget, type Scenario, type Target } from './scenario';

const slowMs = 5_000;
const delayMs = 250;

/** A platform that reaches its database through this proxy. */
export async function openTargetOverProxy(
  settings: Readonly<Record<string, string>> = {},
): Promise<{ readonly target: Target; readonly proxy: TcpProxy }> {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'receipts-slow-'));
  const database = await findDatabase({ mongodbUri: undefined, dataDir });
  const uri = new URL(database.uri);
  const proxy = await startTcpProxy(Number(uri.port));
  uri.port = String(proxy.port);
  uri.searchParams.set('directConnection', 'true');
  const target = await closingAlso(openTarget({}, { ...settings, MONGODB_URI: uri.href }), async () => {
    await proxy.close();
    await database.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return { target, proxy };
}

/** A database that responds to every command late. */
export function slowDatabase(): Scenario {
  let proxy: TcpProxy | undefined;
  return {
    async open() {
      const opened = await openTargetOverProxy();
      ({ proxy } = opened);
      return opened.target;
    },
    faults: [
      {
        name: `database is ${2 * delayMs} ms late`,
        async inject() {
          proxy?.delay(delayMs);
          await pause(slowMs);
          proxy?.delay(0);
        },
      },
    ],
  };
}
