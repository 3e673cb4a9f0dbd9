import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { within } from '@receipts/kernel';

export interface ChildOptions {
  readonly name: string;
  readonly script: string;
  readonly args?: readonly string[];
  /** Options of Node.js. */
  readonly nodeFlags?: readonly string[];
  /** The executable of Node.js; default: that of this process. */
  readonly nodePath?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly logDir: string;
  /** Called if the process exits without having been stopped. */
  readonly onUnexpectedExit?: (reason: string) => void;
}

/** A limit for processes that hang: a busy machine may need twenty times as long as an idle one. */
export const startTimeoutMs = 300_000;
const stopTimeoutMs = 20_000;
const shownCharactersMax = 8_192;

/** Children that are killed if this process exits without stopping them. */
const running = new Set<ChildProcess>();
const killAll = () => running.forEach((child) => child.kill('SIGKILL'));

/** Ensures that the child does not outlive this process, unless this process is itself killed. */
export function endWithThisProcess(child: ChildProcess): void {
  if (running.size === 0) process.once('exit', killAll);
  running.add(child);
  child.once('exit', () => {
    running.delete(child);
    if (running.size === 0) process.removeListener('exit', killAll);
  });
}

/** A Node.js process that logs to a file, reports when it is ready, and can be stopped or killed. */
export class Child {
  readonly name: string;
  /** The data that the process reported when it became ready, such as its ports. */
  facts: Readonly<Record<string, unknown>> = {};
  private process: ChildProcess | undefined;
  private readonly logFile: string;
  private stopping = false;

  constructor(private readonly options: ChildOptions) {
    this.name = options.name;
    mkdirSync(options.logDir, { recursive: true });
    this.logFile = path.join(options.logDir, `${options.name}.log`);
  }

  get pid(): number | undefined {
    return this.process?.pid;
  }

  get running(): boolean {
    return this.process !== undefined && this.process.exitCode === null && this.process.signalCode === null;
  }

  /**
   * Starts the process and waits until it reports that it is ready.
   * @throws Error with the end of its log if it exits first or is not ready within 5 minutes.
   */
  async start(): Promise<void> {
    this.stopping = false;
    const { nodePath = process.execPath, nodeFlags = [], script, args = [], env } = this.options;
    // The process writes directly to its log file, without a pipe through this process.
    const log = openSync(this.logFile, 'a');
    const child = spawn(nodePath, [...nodeFlags, script, ...args], {
      env,
      stdio: ['ignore', log, log, 'ipc'],
      // A separate process group, so that Ctrl-C reaches only the launcher, which then stops all processes in order.
      detached: true,
    });
    closeSync(log);
    endWithThisProcess(child);
    this.process = child;
    try {
      await within(startTimeoutMs, 'the start', this.ready(child));
    } catch (error) {
      // Otherwise, it would run beside the process of the next attempt.
      await this.kill();
      throw new Error(`${this.name}: ${(error as Error).message}\n${this.endOfLog()}`, { cause: error });
    }
    child.once('exit', (code, signal) => {
      if (!this.stopping) this.options.onUnexpectedExit?.(String(signal ?? code));
    });
  }

  private ready(child: ChildProcess): Promise<void> {
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => reject(new Error(`exited immediately (${signal ?? code})`)));
      child.on('message', (message) => {
        if ((message as { type?: string }).type !== 'ready') return;
        this.facts = { ...this.facts, ...(message as Record<string, unknown>) };
        resolve();
      });
    });
  }

  /** Sends SIGTERM and waits for the exit. Kills the process if this takes too long. */
  async stop(): Promise<void> {
    await this.end('SIGTERM');
  }

  /** Kills the process, as in a crash. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  private endOfLog(): string {
    return readFileSync(this.logFile, 'utf8').slice(-shownCharactersMax);
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.process;
    if (!child || !this.running) return;
    this.stopping = true;
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
    await ended;
    clearTimeout(timer);
  }
}
