import type { ChildProcess } from 'node:child_process';
import { limitsOf } from '@receipts/contracts';
import type { LimitedRules, MappingRules } from '../domain/run-mapping';
import { slowness } from '../domain/slowness';
import { CpuWatch } from './cpu-watch';
import type { ChildKind } from './child-kind';
import { launch } from './launch';
import type { FromChild, JobMessage, JobResult, ResourceUsage } from './messages';
import { usageOf } from './process-usage';

/** The fields of a job that a worker uses. */
export interface WorkerJob {
  readonly id: number;
  readonly mapping: string;
  readonly rules: MappingRules;
  /** CPU time. */
  readonly timeoutMs: number;
  readonly message: Omit<JobMessage, 'id' | 'mapping'>;
}

/** Why jobs were returned unfinished. `stalled`: the process slept during a job. */
export type Loss = 'timeout' | 'stalled' | 'crashed';

export interface WorkerEvents<J extends WorkerJob> {
  onResult(job: J, result: JobResult): void;
  /** The process has ended; these jobs have no result. */
  onLost(jobs: readonly J[], loss: Loss): void;
  /** The process has not started these jobs. */
  onReturned(jobs: readonly J[]): void;
  onIdle(): void;
}

/** Loading the code takes less than a second of CPU time, or two seconds with the PDF library. */
const startTimeoutMs = 10_000;
/** The time for messages, compiling and garbage collection, in addition to the mapping's limit. */
const graceMs = 100;
const cachedMappingsMax = 100;

/** A sandboxed process and its current jobs. */
export class Worker<J extends WorkerJob> {
  idleSince = 0;
  private readonly child: ChildProcess;
  private readonly jobs = new Map<number, J>();
  /** The mappings that the process has loaded, least recently used first. */
  private readonly known = new Map<string, true>();
  private timer: NodeJS.Timeout | undefined;
  private usage: ResourceUsage = { cpuMs: 0, memoryMb: 0 };
  private ready = false;
  private ended = false;
  private loss: Loss = 'crashed';

  constructor(
    readonly kind: ChildKind,
    private readonly events: WorkerEvents<J>,
  ) {
    this.child = launch(kind);
    this.child.on('message', (message: FromChild) => this.onMessage(message));
    this.child.once('exit', () => this.onExit());
    this.child.once('error', () => this.onExit());
    this.watch(startTimeoutMs);
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

  /** The memory of the whole process, as last reported. */
  get memoryMb(): number {
    return this.usage.memoryMb;
  }

  get inProgress(): readonly J[] {
    return [...this.jobs.values()];
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  start(jobs: readonly J[]): void {
    const rules: { mapping: string; rules: LimitedRules }[] = [];
    for (const job of jobs) {
      this.jobs.set(job.id, job);
      if (!this.known.delete(job.mapping)) {
        rules.push({ mapping: job.mapping, rules: { ...job.rules, limits: limitsOf(job.rules) } });
      }
      this.known.set(job.mapping, true);
    }
    const forget = [...this.known.keys()].slice(0, Math.max(0, this.known.size - cachedMappingsMax));
    for (const mapping of forget) this.known.delete(mapping);
    const messages = jobs.map(({ id, mapping, message }) => ({ id, mapping, ...message }));
    this.watchNextJob();
    this.child.send({ rules, forget, jobs: messages }, (error) => {
      if (error) this.kill('crashed');
    });
  }

  /** Jobs run in order, and the result of a job arrives within milliseconds after the job ends. */
  private watchNextJob(): void {
    clearTimeout(this.timer);
    const [next] = this.jobs.values();
    if (next) this.watch(next.timeoutMs + graceMs);
  }

  private watch(limitMs: number): void {
    const watch = new CpuWatch(limitMs, this.usage.cpuMs, performance.now(), slowness);
    const checkAfter = (ms: number) => {
      const timer = setTimeout(() => {
        // Messages that arrived while this process was busy or stopped are handled first.
        setImmediate(() => {
          if (this.timer === timer && !this.ended) check();
        });
      }, ms);
      this.timer = timer;
    };
    const check = () => {
      const usage = this.child.pid === undefined ? undefined : usageOf(this.child.pid);
      const verdict = watch.check(usage, performance.now());
      if ('kill' in verdict) this.kill(verdict.kill);
      else checkAfter(verdict.checkAfterMs);
    };
    checkAfter(limitMs);
  }

  private onMessage(message: FromChild): void {
    if (this.ended) return;
    this.usage = message.usage;
    if ('ready' in message) this.ready = true;
    else {
      for (const result of message.results) {
        const job = this.jobs.get(result.id);
        if (!job) continue;
        this.jobs.delete(result.id);
        this.events.onResult(job, result);
      }
      this.returnJobs(message.returned ?? []);
    }
    this.watchNextJob();
    if (this.jobs.size > 0) return;
    this.idleSince = performance.now();
    this.events.onIdle();
  }

  private returnJobs(ids: readonly number[]): void {
    const jobs = ids.flatMap((id) => this.jobs.get(id) ?? []);
    for (const { id } of jobs) this.jobs.delete(id);
    if (jobs.length > 0) this.events.onReturned(jobs);
  }

  kill(loss: Loss): void {
    this.loss = loss;
    this.child.kill('SIGKILL');
    this.onExit();
  }

  /** Ends an idle process. */
  retire(): void {
    this.ended = true;
    clearTimeout(this.timer);
    this.child.kill('SIGKILL');
  }

  private onExit(): void {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.timer);
    const jobs = [...this.jobs.values()];
    this.jobs.clear();
    this.events.onLost(jobs, this.loss);
  }
}
