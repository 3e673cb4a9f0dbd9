import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { until } from '@receipts/testing';

/** Like a till, which repeats a job that gets no response. */
const printTimeoutMs = 15_000;
const command = path.resolve(__dirname, '../../dist/cli.js');

/**
 * The agent as a process that can be killed and restarted. Each start chooses its ports: while the agent is not
 * running, any process on this machine may be given the earlier ones, and the agent could not start again.
 */
export class AgentProcess {
  log = '';
  rawPort = 0;
  private httpPort = 0;
  private child: ChildProcess | undefined;

  private constructor(private readonly flags: readonly string[]) {}

  static async start(url: string, data: string, ...flags: string[]): Promise<AgentProcess> {
    const addresses = ['--listen', '127.0.0.1:0', '--http', '127.0.0.1:0'];
    const required = ['--url', url, '--key', 'k', '--secret', 'c2VjcmV0', '--data', data];
    const agent = new AgentProcess([...required, ...addresses, ...flags]);
    await agent.start();
    return agent;
  }

  async start(): Promise<void> {
    const child = spawn(process.execPath, [command, ...this.flags], { stdio: ['ignore', 'ignore', 'pipe'] });
    this.child = child;
    let started = '';
    child.stderr.on('data', (text: Buffer) => {
      started += text.toString();
      this.log += text.toString();
    });
    const [, raw, http] = await until('the start', () => {
      if (this.hasEnded(child)) throw new Error(`the agent did not start: ${started}`);
      return /on port (\d+); status at http:\/\/127\.0\.0\.1:(\d+)\//.exec(started) ?? undefined;
    });
    this.rawPort = Number(raw);
    this.httpPort = Number(http);
  }

  async kill(): Promise<void> {
    const child = this.child;
    if (!child || this.hasEnded(child)) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await exited;
  }

  /** Posts a job; undefined if there was no response. */
  print(body: string, headers: Record<string, string> = {}): Promise<number | undefined> {
    const slip = { 'content-type': 'application/octet-stream', ...headers };
    const signal = AbortSignal.timeout(printTimeoutMs);
    return fetch(`http://127.0.0.1:${this.httpPort}/print`, {
      method: 'POST',
      body,
      headers: slip,
      signal,
    }).then(
      ({ status }) => status,
      (error: Error) => void (this.log += `no response to a job: ${error.message}\n`),
    );
  }

  async statusPage(): Promise<string> {
    return (await fetch(`http://127.0.0.1:${this.httpPort}/`)).text();
  }

  private hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
    return exitCode !== null || signalCode !== null;
  }
}
