import type { ChildProcess } from 'node:child_process';
import type { MappingRules } from '../domain/run-mapping';
import { cpuMsOf, launch, type ChildKind } from './launch';
import type { FromChild, JobMessage, JobResult } from './messages';

/** A job as a worker needs to know it. */
export interface WorkerJob {
  readonly id: number;
  readonly mapping: string;
  readonly rules: MappingRules;
  readonly timeoutMs: number;
  readonly message: Omit<JobMessage, 'id' | 'mapping'>;
}

/** Why a worker's jobs came back unfinished. `starved`: its time was over, but it had hardly been given a processor. */
export type Loss = 'timeout' | 'starved' | 'crashed';

export interface WorkerEvents<J extends WorkerJob> {
  onResult(job: J, result: JobResult): void;
  /** The process is gone; these jobs have no result. */
  onLost(jobs: readonly J[], loss: Loss): void;
  /** It did not come to these jobs. */
  onGivenBack(jobs: readonly J[]): void;
  onIdle(): void;
}

/** Loading the code takes no longer than this, unless the machine is very busy. */
const startTimeoutMs = 20_000;
/** The parent is more patient than the mapping says by the time that a message takes. */
const graceMs = 50;
/** A process that got less of a processor than this share of its time was starved. */
const starvedShare = 0.25;
const mappingsKeptMax = 100;

/** One sandboxed process and the jobs that it has in hand. */
export class Worker<J extends WorkerJob> {
  jobsDone = 0;
  idleSince = 0;
  private readonly child: ChildProcess;
  private readonly jobs = new Map<number, J>();
  /** Mappings that the process knows, the least recently used first. */
  private readonly known = new Map<string, true>();
  private timer: NodeJS.Timeout | undefined;
  private cpuMsAtStart: number | undefined;
  private ready = false;
  private ended = false;
  private loss: Loss = 'crashed';

  constructor(
    readonly kind: ChildKind,
    private readonly events: WorkerEvents<J>,
  ) {
    this.child = launch(kind);
    this.child.on('message', (message: FromChild) => this.onMessage(message));
    this.child.once('exit', () => this.onGone());
    this.child.once('error', () => this.onGone());
    this.timer = setTimeout(() => this.kill('crashed'), startTimeoutMs);
  }

  get isFree(): boolean {
    return this.ready && !this.ended && this.jobs.size === 0;
  }

  get isStarting(): boolean {
    return !this.ready && !this.ended;
  }

  get hasStarted(): boolean {
    return this.ready;
  }

  get inHand(): readonly J[] {
    return [...this.jobs.values()];
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  start(jobs: readonly J[]): void {
    const rules: { mapping: string; rules: MappingRules }[] = [];
    for (const job of jobs) {
      this.jobs.set(job.id, job);
      if (!this.known.delete(job.mapping)) rules.push({ mapping: job.mapping, rules: job.rules });
      this.known.set(job.mapping, true);
    }
    const forget = [...this.known.keys()].slice(0, Math.max(0, this.known.size - mappingsKeptMax));
    for (const mapping of forget) this.known.delete(mapping);
    const messages = jobs.map(({ id, mapping, message }) => ({ id, mapping, ...message }));
    this.cpuMsAtStart = jobs.length === 1 ? this.cpuMs() : undefined;
    this.watch();
    this.child.send({ rules, forget, jobs: messages }, (error) => {
      if (error) this.kill('crashed');
    });
  }

  private cpuMs(): number | undefined {
    return this.child.pid === undefined ? undefined : cpuMsOf(this.child.pid);
  }

  /** The jobs run in order, and the results of those before are here within milliseconds. */
  private watch(): void {
    clearTimeout(this.timer);
    const [next] = this.jobs.values();
    if (!next) return;
    const limitMs = next.timeoutMs + graceMs;
    this.timer = setTimeout(() => this.kill(this.wasStarved(limitMs) ? 'starved' : 'timeout'), limitMs);
  }

  private wasStarved(limitMs: number): boolean {
    const now = this.cpuMs();
    if (now === undefined || this.cpuMsAtStart === undefined) return false;
    return now - this.cpuMsAtStart < limitMs * starvedShare;
  }

  private onMessage(message: FromChild): void {
    if (this.ended) return;
    if ('ready' in message) this.ready = true;
    else {
      for (const result of message.results) {
        const job = this.jobs.get(result.id);
        if (!job) continue;
        this.jobs.delete(result.id);
        this.jobsDone++;
        this.events.onResult(job, result);
      }
      this.giveBack(message.givenBack ?? []);
    }
    this.watch();
    if (this.jobs.size > 0) return;
    this.idleSince = performance.now();
    this.events.onIdle();
  }

  private giveBack(ids: readonly number[]): void {
    const jobs = ids.flatMap((id) => this.jobs.get(id) ?? []);
    for (const { id } of jobs) this.jobs.delete(id);
    if (jobs.length > 0) this.events.onGivenBack(jobs);
  }

  kill(loss: Loss): void {
    this.loss = loss;
    this.child.kill('SIGKILL');
    this.onGone();
  }

  /** Ends a process that has nothing to do. */
  retire(): void {
    this.ended = true;
    clearTimeout(this.timer);
    this.child.kill('SIGKILL');
  }

  private onGone(): void {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.timer);
    const jobs = [...this.jobs.values()];
    this.jobs.clear();
    this.events.onLost(jobs, this.loss);
  }
}
