import { createServer, type Server, type Socket } from 'node:net';
import type { JobTaker } from './job-taker';
import type { JobQueue } from './job-queue';
import { RawConnection } from './raw-connection';

export interface RawListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly queue: JobQueue;
  readonly taker: JobTaker;
  readonly silenceMs: number;
  readonly log: (line: string) => void;
}

const connectionsMax = 64;
const reopenMs = 1_000;
const keepAliveMs = 30_000;

/**
 * Listens like a network printer. While jobs cannot be accepted, it does not listen. To the till, the printer then
 * looks switched off, so the till does not assume that a slip was accepted.
 */
export class RawListener {
  port = 0;
  private server: Server | undefined;
  private readonly connections = new Set<Socket>();
  private reopening: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(private readonly options: RawListenerOptions) {
    this.port = options.port;
  }

  /** @throws Error if the address is in use */
  async start(): Promise<void> {
    const { queue } = this.options;
    if (queue.refusal === undefined) await this.open();
    queue.events.on('refusal', () => this.follow());
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.reopening);
    const closed = new Promise<void>((resolve) =>
      this.server ? this.server.close(() => resolve()) : resolve(),
    );
    this.server = undefined;
    for (const socket of this.connections) socket.resetAndDestroy();
    await closed;
  }

  private follow(): void {
    if (this.options.queue.refusal !== undefined) {
      this.server?.close();
      this.server = undefined;
    } else if (!this.server) this.reopen();
  }

  private reopen(): void {
    clearTimeout(this.reopening);
    if (this.isStopped || this.server || this.options.queue.refusal !== undefined) return;
    this.open().catch((error: Error) => {
      this.options.log(`cannot listen on port ${this.port}: ${error.message}`);
      this.reopening = setTimeout(() => this.reopen(), reopenMs);
    });
  }

  private open(): Promise<void> {
    // After its last byte, a till waits for the end of the connection, which is closed once the job is on disk.
    const server = createServer(
      { allowHalfOpen: true, keepAlive: true, keepAliveInitialDelay: keepAliveMs },
      (socket) => this.accept(socket),
    );
    server.maxConnections = connectionsMax;
    this.server = server;
    return new Promise((resolve, reject) => {
      server.once('error', (error) => {
        this.server = undefined;
        reject(error);
      });
      server.listen(this.port, this.options.host, () => {
        const address = server.address();
        if (typeof address === 'object' && address) this.port = address.port;
        resolve();
      });
    });
  }

  private accept(socket: Socket): void {
    const { taker, silenceMs, log } = this.options;
    this.connections.add(socket);
    socket.once('close', () => this.connections.delete(socket));
    void new RawConnection(socket, { taker, silenceMs, log }).run();
  }
}
