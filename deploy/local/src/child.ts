import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { OwnedProcess } from './owned-process';

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
  readonly onUnexpectedExit?: ((reason: string) => void) | undefined;
}

const shownCharactersMax = 8_192;

/** A Node.js process that logs to a file and reports when it is ready. */
export class Child extends OwnedProcess {
  /** The data that the process reported when it became ready, such as its ports. */
  facts: Readonly<Record<string, unknown>> = {};
  private readonly logFile: string;

  constructor(private readonly options: ChildOptions) {
    super(options.name, options.onUnexpectedExit);
    mkdirSync(options.logDir, { recursive: true });
    this.logFile = path.join(options.logDir, `${options.name}.log`);
  }

  protected spawn(): ChildProcess {
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
    return child;
  }

  protected untilReady(child: ChildProcess): Promise<void> {
    return new Promise((resolve) => {
      child.on('message', (message) => {
        if ((message as { type?: string }).type !== 'ready') return;
        this.facts = { ...this.facts, ...(message as Record<string, unknown>) };
        resolve();
      });
    });
  }

  /** The end of the log. */
  protected details(): string {
    return `\n${readFileSync(this.logFile, 'utf8').slice(-shownCharactersMax)}`;
  }
}
