import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { patiently, until } from '@receipts/testing';

/** Less than a test's limit, so that the error shows the output. */
const saysWithinMs = patiently(240_000);

/** A command that runs until it is signalled, with everything that it has printed. */
export class StartedProcess {
  output = '';
  readonly child: ChildProcess;
  /** The exit code; null if a signal ended the process. */
  readonly ended: Promise<number | null>;
  private hasEnded = false;

  constructor(command: string, args: readonly string[], options: SpawnOptions) {
    this.child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString('utf8')));
    this.ended = new Promise((resolve) => this.child.once('close', resolve));
    void this.ended.then(() => (this.hasEnded = true));
  }

  /**
   * Waits until the process has printed a text.
   * @throws Error with its output if it ends first, or does not print the text within 4 minutes
   */
  async says(text: string): Promise<void> {
    const said = () => this.output.includes(text);
    await until('', () => said() || this.hasEnded, saysWithinMs).catch(() => {});
    if (!said()) throw new Error(`"${text}" is missing in:\n${this.output}`);
  }
}
