import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { startAgent, type Agent } from '../agent';
import type { Settings } from '../settings';

export const cut = '\x1dV\0';

/** Settings of an agent on free ports. */
export function testSettings(url: string, data: string, settings: Partial<Settings> = {}): Settings {
  const free = { host: '127.0.0.1', port: 0 };
  return {
    url,
    key: { kid: 'K', secret: Buffer.alloc(32, 1).toString('base64') },
    metadata: { store_reference: '1', till_id: 'Kasse 3 ü' },
    contentType: 'application/octet-stream',
    listen: free,
    http: free,
    watch: undefined,
    printer: undefined,
    qr: false,
    silenceMs: 200,
    jobsMax: 1_000,
    data,
    ...settings,
  };
}

/** An agent in this process that can be stopped and started again on the same data. */
export class TestAgent {
  readonly data = mkdtempSync(path.join(os.tmpdir(), 'till-agent-'));
  readonly lines: string[] = [];
  private running: Agent | undefined;

  constructor(
    private readonly url: string,
    private readonly settings: Partial<Settings> = {},
  ) {}

  async start(settings: Partial<Settings> = {}): Promise<this> {
    const all = testSettings(this.url, this.data, { ...this.settings, ...settings });
    this.running = await startAgent(all, (line) => void this.lines.push(line));
    return this;
  }

  get agent(): Agent {
    if (!this.running) throw new Error('the agent is stopped');
    return this.running;
  }

  async stop(): Promise<void> {
    await this.running?.stop();
    this.running = undefined;
  }

  async discard(): Promise<void> {
    await this.stop();
    rmSync(this.data, { recursive: true, force: true });
  }

  connect(): TestTill {
    return new TestTill(connect(this.agent.rawPort, '127.0.0.1'));
  }

  /** Prints over its own connection; false if the agent did not accept all of it. */
  print(text: string): Promise<boolean> {
    const till = this.connect();
    till.socket.end(Buffer.from(text, 'latin1'));
    return till.closed;
  }

  fetch(at: string, init?: RequestInit): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.agent.httpPort}${at}`, init);
  }
}

/** A till with an open connection. */
export class TestTill {
  received = Buffer.alloc(0);
  /** True if the agent has closed the connection without an error. */
  readonly closed: Promise<boolean>;

  constructor(readonly socket: Socket) {
    let isEnded = false;
    socket.on('error', () => {});
    socket.on('data', (bytes) => (this.received = Buffer.concat([this.received, bytes])));
    socket.on('end', () => (isEnded = true));
    this.closed = new Promise((resolve) => socket.on('close', (hadError) => resolve(isEnded && !hadError)));
  }

  write(text: string): void {
    this.socket.write(Buffer.from(text, 'latin1'));
  }
}

/** A printer that records its output per connection. */
export class FakePrinter {
  readonly printed: string[] = [];
  /** If false, it accepts connections but does not read data, as if out of paper. */
  hasPaper = true;
  private readonly sockets = new Set<Socket>();

  private constructor(
    readonly port: number,
    private readonly server: Server,
  ) {}

  /** @param port 0 for a free port */
  static async start(port = 0): Promise<FakePrinter> {
    const server = createServer((socket) => {
      printer.sockets.add(socket);
      socket.on('error', () => {});
      if (!printer.hasPaper) return void socket.pause();
      const at = printer.printed.push('') - 1;
      socket.on('data', (bytes) => (printer.printed[at] += bytes.toString('latin1')));
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    const printer = new FakePrinter((server.address() as AddressInfo).port, server);
    return printer;
  }

  get text(): string {
    return this.printed.join('');
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }
}
