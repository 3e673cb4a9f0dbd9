import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';

export interface ChildOptions {
  readonly name: string;
  readonly script: string;
  readonly args?: readonly string[];
  /** Options of Node itself. */
  readonly nodeFlags?: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly logDir: string;
  /** Called when the process ends without having been asked to. */
  readonly onUnexpectedExit?: (reason: string) => void;
}

const stopTimeoutMs = 20_000;
const shownCharactersMax = 8_192;

/** A Node process of ours: its output goes to a log file, it says when it is ready, and it can be stopped or killed. */
export class Child {
  readonly name: string;
  /** What the process said of itself when it became ready, for instance its ports. */
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
   * Starts the process and waits until it says that it is ready.
   * @throws Error with the end of its log when it dies first or is not ready in time.
   */
  async start(timeoutMs: number): Promise<void> {
    this.stopping = false;
    const { nodeFlags = [], script, args = [], env } = this.options;
    // It writes its log by itself, so that nobody stands between.
    const log = openSync(this.logFile, 'a');
    const child = spawn(process.execPath, [...nodeFlags, script, ...args], {
      env,
      stdio: ['ignore', log, log, 'ipc'],
      // A process group of its own: Ctrl-C reaches the launcher alone, which then stops everything in order.
      detached: true,
    });
    closeSync(log);
    this.process = child;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => fail(`was not ready within ${timeoutMs} ms`), timeoutMs);
      const fail = (reason: string) => {
        clearTimeout(timer);
        reject(new Error(`${this.name} ${reason}\n${this.endOfLog()}`));
      };
      child.once('error', (error) => fail(error.message));
      child.once('exit', (code, signal) => fail(`ended at once (${signal ?? code})`));
      child.on('message', (message) => {
        if ((message as { type?: string }).type !== 'ready') return;
        this.facts = { ...this.facts, ...(message as Record<string, unknown>) };
        clearTimeout(timer);
        resolve();
      });
    });
    child.once('exit', (code, signal) => {
      if (!this.stopping) this.options.onUnexpectedExit?.(String(signal ?? code));
    });
  }

  /** Asks the process to end and waits for it; kills it when it takes too long. */
  async stop(): Promise<void> {
    await this.end('SIGTERM');
  }

  /** Ends the process at once, as a crash would. */
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
