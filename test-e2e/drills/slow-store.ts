import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Transform } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { findDatabase } from '@receipts/local';
import { openGround, type Stage } from './stages';

const slowMs = 5_000;
const delayMs = 250;

/** A proxy between services and database that delays all data by `lateMs`. */
class SlowLine {
  lateMs = 0;
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((client) => this.join(client));

  constructor(private readonly targetPort: number) {}

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return (this.server.address() as AddressInfo).port;
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private join(client: Socket): void {
    const target = connect(this.targetPort, '127.0.0.1');
    for (const [from, to] of [
      [client, target],
      [target, client],
    ] as const) {
      this.sockets.add(from);
      from.setNoDelay(true);
      from.on('error', () => undefined);
      from.on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
      const late = new Transform({
        transform: (bytes, _encoding, done) => {
          if (this.lateMs === 0) done(null, bytes);
          else setTimeout(() => done(null, bytes), this.lateMs);
        },
      });
      from.pipe(late).pipe(to);
    }
  }
}

/** A database that responds to every command late. */
export function slowStoreStage(): Stage {
  let line: SlowLine | undefined;
  return {
    async open() {
      const dataDir = mkdtempSync(path.join(os.tmpdir(), 'receipts-slow-'));
      const database = await findDatabase({ mongodbUri: undefined, dataDir, isolated: true });
      const uri = new URL(database.uri);
      const opened = new SlowLine(Number(uri.port));
      line = opened;
      const closeStore = async () => {
        opened.close();
        await database.stop();
        rmSync(dataDir, { recursive: true, force: true });
      };
      try {
        uri.port = String(await opened.listen());
        uri.searchParams.set('directConnection', 'true');
        const ground = await openGround({}, { MONGODB_URI: uri.href });
        return { ...ground, close: () => ground.close().finally(closeStore) };
      } catch (error) {
        await closeStore();
        throw error;
      }
    },
    faults: [
      {
        name: `store is ${2 * delayMs} ms late`,
        async inflict() {
          if (!line) throw new Error('the store has not been opened');
          line.lateMs = delayMs;
          await pause(slowMs);
          line.lateMs = 0;
        },
      },
    ],
  };
}
