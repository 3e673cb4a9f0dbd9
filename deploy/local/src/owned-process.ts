import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { pause, within } from '@receipts/concurrency';
import { isListening } from './network';

/** A limit for processes that hang: a busy machine may need twenty times as long as an idle one. */
export const startTimeoutMs = 300_000;
export const stopTimeoutMs = 20_000;
export const probeIntervalMs = 40;

/** Children that are killed if this process exits without stopping them. */
const running = new Set<ChildProcess>();
const killAll = () => running.forEach((child) => child.kill('SIGKILL'));

/** Ensures that the child does not outlive this process, unless this process is itself killed. */
function endWithThisProcess(child: ChildProcess): void {
  if (running.size === 0) process.once('exit', killAll);
  running.add(child);
  child.once('exit', () => {
    running.delete(child);
    if (running.size === 0) process.removeListener('exit', killAll);
  });
}

/** A process that this process starts, stops and kills, and that does not outlive it. */
export abstract class OwnedProcess {
  protected child: ChildProcess | undefined;
  private isEnding = false;

  /** @param onUnexpectedExit called if the process ends without having been stopped or killed */
  constructor(
    readonly name: string,
    private readonly onUnexpectedExit: ((reason: string) => void) | undefined,
  ) {}

  protected abstract spawn(): ChildProcess;

  /** Resolves when the process is ready. */
  protected abstract untilReady(child: ChildProcess): Promise<void>;

  /** Added to the error of a failed start. */
  protected abstract details(): string;

  /** The process id while the process runs. */
  get pid(): number | undefined {
    return this.running ? this.child?.pid : undefined;
  }

  get running(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /**
   * Starts the process, with the same data if it ran before, and waits until it is ready.
   * @throws Error if it exits first or is not ready within 5 minutes
   */
  async start(): Promise<void> {
    this.isEnding = false;
    const child = this.spawn();
    this.child = child;
    endWithThisProcess(child);
    const exited = new Promise<never>((_resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => reject(new Error(`exited immediately (${signal ?? code})`)));
    });
    try {
      await within(startTimeoutMs, 'the start', Promise.race([this.untilReady(child), exited]));
    } catch (error) {
      // Otherwise, it would run beside the process of the next attempt.
      await this.kill();
      throw new Error(`${this.name}: ${(error as Error).message}${this.details()}`, { cause: error });
    }
    child.once('exit', (code, signal) => {
      if (!this.isEnding) this.onUnexpectedExit?.(String(signal ?? code));
    });
  }

  /** Sends SIGTERM and waits for the exit. Kills the process if this takes too long. */
  stop(): Promise<void> {
    return this.end('SIGTERM');
  }

  /** Kills the process, as in a crash. */
  kill(): Promise<void> {
    return this.end('SIGKILL');
  }

  /** Resolves when a server accepts connections at the address; see `isListening`. */
  protected async untilListening(
    address: { readonly port: number; readonly host?: string },
    greeting?: Buffer,
  ): Promise<void> {
    while (this.running && !(await isListening(address, greeting))) await pause(probeIntervalMs);
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const { child } = this;
    if (!child || !this.running) return;
    this.isEnding = true;
    const ended = once(child, 'exit');
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
    await ended;
    clearTimeout(timer);
  }
}
