import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { freePort, until } from '@receipts/testing';

/** Like a till, which repeats a job that gets no response. */
const printTimeoutMs = 15_000;
const command = path.resolve(__dirname, '../../dist/cli.js');

/** The agent as a process that can be killed and restarted. */
export class AgentProcess {
  log = '';
  private child: ChildProcess | undefined;

  private constructor(
    readonly rawPort: number,
    readonly httpPort: number,
    private readonly flags: readonly string[],
  ) {}

  static async start(url: string, data: string, ...flags: string[]): Promise<AgentProcess> {
    const [raw, http] = [await freePort(), await freePort()];
    const addresses = ['--listen', `127.0.0.1:${raw}`, '--http', `127.0.0.1:${http}`];
    const required = ['--url', url, '--key', 'k', '--secret', 'c2VjcmV0', '--data', data];
    const agent = new AgentProcess(raw, http, [...required, ...addresses, ...flags]);
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
    await until(`the start: ${this.log}`, () => started.includes('status at'));
  }

  async kill(): Promise<void> {
    const child = this.child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
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
}
