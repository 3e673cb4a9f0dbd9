/**
 * The sandboxed process: compiles mappings and applies them to packets, one after another. It holds no secrets, has no
 * network access and is killed by its parent when a job uses too much CPU time. It communicates only with its parent.
 */
import { ConversionError, faultOf } from '../domain/faults/conversion-fault';
import { cpuTimeMs } from '../domain/cpu-budget';
import { preparePdf } from '../domain/decode/pdf';
import {
  compileMapping,
  RunError,
  runMapping,
  type CompiledMapping,
  type Decoded,
  type DecodedView,
} from '../domain/run-mapping';
import type { FromChild, JobMessage, JobResult, ResourceUsage, ToChild } from './messages';
import { restrictProcess } from './restrict-process';

/**
 * Results are sent after this time at the latest, so that the parent can identify the slow job. Most batches take less
 * time and are returned as a whole.
 */
const flushAfterMs = 20;
/** The CPU time of one batch. When it is used up, the remaining jobs are returned to the queue. */
const batchCpuMsMax = 50;
const decodedCharactersMax = 256 * 1024;
const shownWarningsMax = 100;

type Compiled = CompiledMapping | ConversionError;

const mappings = new Map<string, Compiled>();

const bytesPerMb = 1024 * 1024;

/** Captured before it is removed. */
const exit = process.exit.bind(process);
const memoryBytes = process.memoryUsage.rss.bind(process);
const sendToParent = process.send?.bind(process);

function resourceUsage(): ResourceUsage {
  return { cpuMs: cpuTimeMs(), memoryMb: memoryBytes() / bytesPerMb };
}

type MessageWithoutUsage = FromChild extends infer M
  ? M extends FromChild
    ? Omit<M, 'usage'>
    : never
  : never;

function send(message: MessageWithoutUsage): void {
  sendToParent?.({ ...message, usage: resourceUsage() });
}

function compile({ mapping, rules }: ToChild['rules'][number]): void {
  try {
    mappings.set(mapping, compileMapping(rules));
  } catch (error) {
    mappings.set(mapping, error instanceof ConversionError ? error : unexpected(error));
  }
}

/**
 * For instance, a stack overflow because of deep nesting, or a string that is too long. The packet is the cause, so the
 * packet fails as unconvertible.
 */
function unexpected(error: unknown): ConversionError {
  const message = error instanceof Error ? error.message : 'the conversion failed';
  const reason = error instanceof RangeError ? 'too_large' : 'mapping_failed';
  return new ConversionError(reason, [faultOf('', reason, message)]);
}

function shortened({ lines, fields }: DecodedView): DecodedView {
  const shownLines = lines?.slice(0, 500).map((line) => line.slice(0, 200));
  return { ...(shownLines && { lines: shownLines }), ...(fields && { fields }) };
}

function shown({ parts, warnings }: Decoded): string {
  const whole = JSON.stringify({ parts, warnings });
  if (whole.length <= decodedCharactersMax) return whole;
  const kept: DecodedView[] = [];
  let left = decodedCharactersMax;
  for (const part of parts) {
    const view = JSON.stringify(part).length <= left ? part : shortened(part);
    left -= JSON.stringify(view).length;
    if (left < 0 && kept.length > 0) break;
    kept.push(view);
  }
  return JSON.stringify({ parts: kept, warnings: warnings.slice(0, shownWarningsMax) });
}

async function run(job: JobMessage): Promise<Omit<JobResult, 'id' | 'ms'>> {
  const compiled = mappings.get(job.mapping);
  if (compiled === undefined) throw new Error('the mapping was not sent');
  if (compiled instanceof ConversionError) {
    return { failure: { reason: compiled.reason, faults: compiled.faults } };
  }
  if (!job.packet) return { json: '[]' };
  try {
    const { json, decoded, partsOfReceipts } = await runMapping(compiled, {
      ...job.packet,
      bytes: Buffer.from(job.packet.bytes),
    });
    return {
      json,
      ...(decoded.parts.length > 1 && { partsOfReceipts }),
      ...(job.includeDecoded && { decoded: shown(decoded) }),
    };
  } catch (error) {
    const run = error instanceof RunError ? error : undefined;
    const { reason, faults } = run?.failure ?? (error instanceof ConversionError ? error : unexpected(error));
    return { failure: { reason, faults }, ...(run && job.includeDecoded && { decoded: shown(run.decoded) }) };
  }
}

let running: Promise<void> = Promise.resolve();

async function work({ rules, forget, jobs }: ToChild): Promise<void> {
  for (const mapping of forget) mappings.delete(mapping);
  rules.forEach(compile);
  let results: JobResult[] = [];
  const begunAtMs = cpuTimeMs();
  let flushedAtMs = begunAtMs;
  let nowMs = begunAtMs;
  for (const [index, job] of jobs.entries()) {
    const startedAtMs = nowMs;
    if (index > 0 && startedAtMs - begunAtMs > batchCpuMsMax) {
      send({ results, returned: jobs.slice(index).map(({ id }) => id) });
      return;
    }
    const result = await run(job);
    nowMs = cpuTimeMs();
    results.push({ id: job.id, ms: nowMs - startedAtMs, ...result });
    if (nowMs - flushedAtMs < flushAfterMs) continue;
    send({ results });
    results = [];
    flushedAtMs = nowMs;
  }
  if (results.length > 0) send({ results });
}

async function main(): Promise<void> {
  if (process.argv.includes('--pdf')) await preparePdf();
  process.on('message', (message: ToChild) => {
    running = running.then(() => work(message));
  });
  process.on('disconnect', () => exit(0));
  restrictProcess();
  send({ ready: true });
}

void main();
