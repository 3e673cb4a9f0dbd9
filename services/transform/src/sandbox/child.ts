/**
 * The sandboxed process: compiles mappings and runs them on packets, one after another. It holds no secret, reads no
 * network and is killed by its parent when a job takes too long. What it answers is the only thing that leaves it.
 */
import { ConversionError, faultOf } from '../domain/conversion-fault';
import { preparePdf } from '../domain/decode/pdf';
import {
  compileMapping,
  RunError,
  runMapping,
  type CompiledMapping,
  type DecodedView,
} from '../domain/run-mapping';
import type { FromChild, JobMessage, JobResult, ToChild } from './messages';

/** Results wait no longer than this for their neighbours, so that the parent knows which job is the slow one. */
const flushAfterMs = 5;
/** Jobs that travel together are quick. When they turn out not to be, those that are left go back to the queue. */
const batchPatienceMs = 50;
const decodedCharactersMax = 256 * 1024;

type Compiled = CompiledMapping | ConversionError;

const mappings = new Map<string, Compiled>();

function send(message: FromChild): void {
  process.send?.(message);
}

function compile({ mapping, rules }: ToChild['rules'][number]): void {
  try {
    mappings.set(mapping, compileMapping(rules));
  } catch (error) {
    mappings.set(mapping, error instanceof ConversionError ? error : unexpected(error));
  }
}

/** A stack that is exhausted by nesting, a string that is too long: the packet's fault, not ours. */
function unexpected(error: unknown): ConversionError {
  const message = error instanceof Error ? error.message : 'the conversion failed';
  const reason = error instanceof RangeError ? 'too_large' : 'mapping_failed';
  return new ConversionError(reason, [faultOf('', reason, message)]);
}

function shown(decoded: DecodedView): string {
  const json = JSON.stringify(decoded);
  if (json.length <= decodedCharactersMax) return json;
  const lines = decoded.lines?.slice(0, 500).map((line) => line.slice(0, 200));
  return JSON.stringify({ ...(lines && { lines }), doc: undefined, fields: decoded.fields });
}

async function run(job: JobMessage): Promise<Omit<JobResult, 'id' | 'ms'>> {
  const compiled = mappings.get(job.mapping);
  if (compiled === undefined) throw new Error('the mapping was not sent');
  if (compiled instanceof ConversionError) {
    return { failure: { reason: compiled.reason, faults: compiled.faults } };
  }
  if (!job.packet) return { json: '[]' };
  try {
    const { json, decoded } = await runMapping(compiled, {
      ...job.packet,
      bytes: Buffer.from(job.packet.bytes),
    });
    return { json, ...(job.wantsDecoded && { decoded: shown(decoded) }) };
  } catch (error) {
    const run = error instanceof RunError ? error : undefined;
    const { reason, faults } = run?.failure ?? (error instanceof ConversionError ? error : unexpected(error));
    return { failure: { reason, faults }, ...(run && job.wantsDecoded && { decoded: shown(run.decoded) }) };
  }
}

let running: Promise<void> = Promise.resolve();

async function work({ rules, forget, jobs }: ToChild): Promise<void> {
  for (const mapping of forget) mappings.delete(mapping);
  rules.forEach(compile);
  let results: JobResult[] = [];
  const begunAt = performance.now();
  let flushedAt = begunAt;
  for (const [index, job] of jobs.entries()) {
    const startedAt = performance.now();
    if (index > 0 && startedAt - begunAt > batchPatienceMs) {
      send({ results, givenBack: jobs.slice(index).map(({ id }) => id) });
      return;
    }
    const result = await run(job);
    const now = performance.now();
    results.push({ id: job.id, ms: now - startedAt, ...result });
    if (now - flushedAt < flushAfterMs) continue;
    send({ results });
    results = [];
    flushedAt = now;
  }
  if (results.length > 0) send({ results });
}

/** Nothing here needs these; an expression that broke out of its language shall not find them. */
function layDownArms(): void {
  for (const name of ['getBuiltinModule', 'binding', '_linkedBinding', 'dlopen', 'kill', 'chdir'] as const) {
    Object.defineProperty(process, name, { value: undefined });
  }
  for (const name of ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest']) {
    Object.defineProperty(globalThis, name, { value: undefined });
  }
  process.env = {};
}

async function main(): Promise<void> {
  if (process.argv.includes('--pdf')) await preparePdf();
  layDownArms();
  process.on('message', (message: ToChild) => {
    running = running.then(() => work(message));
  });
  process.on('disconnect', () => process.exit(0));
  send({ ready: true });
}

void main();
