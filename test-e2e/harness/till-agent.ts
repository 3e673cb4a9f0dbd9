import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { freePort, until } from '@receipts/testing';
import { request } from './http';

const command = path.join(path.dirname(require.resolve('@receipts/till-agent/package.json')), 'dist/cli.js');
const slip = readFileSync(path.resolve(__dirname, '../../deploy/examples/slips/escpos.bin'));
const numberInSlip = '00010001010000170';
const tillInSlip = 'Till: 3';

/** The bytes of a real slip with another number (17 digits are printed) and another single-digit till. */
export function escposSlip(number: number, till: number): Buffer {
  const text = slip.toString('latin1');
  const digits = String(number).padStart(numberInSlip.length, '0');
  return Buffer.from(text.replaceAll(numberInSlip, digits).replace(tillInSlip, `Till: ${till}`), 'latin1');
}

/** A till agent as a process that can be killed and restarted. */
export class TillAgent {
  readonly data = mkdtempSync(path.join(os.tmpdir(), 'till-agent-'));
  log = '';
  private child: ChildProcess | undefined;

  private constructor(
    readonly rawPort: number,
    readonly httpPort: number,
    private readonly settings: Readonly<Record<string, string>>,
    private readonly environment: NodeJS.ProcessEnv,
  ) {}

  /**
   * @param settings the names of flags and their values
   * @param environment further environment variables
   */
  static async start(
    settings: Readonly<Record<string, string>>,
    environment: NodeJS.ProcessEnv = {},
  ): Promise<TillAgent> {
    const agent = new TillAgent(await freePort(), await freePort(), settings, environment);
    await agent.start();
    return agent;
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  async start(): Promise<void> {
    const all = {
      listen: String(this.rawPort),
      http: String(this.httpPort),
      data: this.data,
      ...this.settings,
    };
    const flags = Object.entries(all).flatMap(([name, value]) =>
      value === 'true' ? [`--${name}`] : [`--${name}=${value}`],
    );
    const child = spawn(process.execPath, [command, ...flags], {
      env: { ...process.env, ...this.environment },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.child = child;
    child.stderr.on('data', (text: Buffer) => (this.log += text.toString()));
    const isRunning = () => {
      if (child.exitCode !== null) throw new Error(`the agent has exited\n${this.log}`);
      return request(this.baseUrl, '/metrics').then(
        ({ status }) => status === 200,
        () => false,
      );
    };
    await until('the agent', isRunning);
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.httpPort}`;
  }

  async kill(): Promise<void> {
    const child = this.child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await exited;
  }

  /** A value of `/metrics`; undefined while the agent does not respond. */
  async metric(name: string): Promise<number | undefined> {
    const text = await request(this.baseUrl, '/metrics').then(
      ({ bytes }) => bytes.toString(),
      () => '',
    );
    const value = new RegExp(`^till_agent_${name} (.*)$`, 'm').exec(text)?.[1];
    return value === undefined ? undefined : Number(value);
  }

  /**
   * Prints like a till that waits until the printer has closed the connection. False if the slip was not accepted, or
   * if this is unknown because the agent was killed in the meantime: the system closes the connections of a killed
   * process as the agent does after it has accepted a slip.
   */
  async print(bytes: Buffer): Promise<boolean> {
    const child = this.child;
    const isClosed = await closedAfter(this.rawPort, bytes);
    return isClosed && child?.killed === false;
  }

  async discard(): Promise<void> {
    await this.kill();
    rmSync(this.data, { recursive: true, force: true });
  }
}

/** Whether the other side closes the connection after these bytes, rather than resetting or refusing it. */
function closedAfter(port: number, bytes: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let isEnded = false;
    socket.on('error', () => {});
    socket.on('end', () => (isEnded = true));
    socket.on('close', (hadError) => resolve(isEnded && !hadError));
    socket.resume();
    socket.end(bytes);
  });
}
