import { Writable } from 'node:stream';
import winston from 'winston';
import { ServiceError, type Log, type LogFields } from '@receipts/kernel';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface LoggerOptions {
  readonly service: string;
  readonly level: LogLevel;
  /** The output; default stdout. */
  readonly write?: (lines: string) => void;
  readonly now?: () => Date;
}

const severity: Readonly<Record<LogLevel, number>> = { error: 0, warn: 1, info: 2, debug: 3 };

/** Lines are buffered for this long and then written together. */
const lineDelayMs = 20;
const bufferCharactersMax = 65_536;

const redacted = '[redacted]';

/**
 * Field names that typically hold confidential data and are redacted. This is only a safety net: do not pass such
 * values to the log at all.
 */
const neverLogged = new Set([
  'address',
  'authorization',
  'body',
  'card',
  'consumer',
  'cookie',
  'data',
  'document',
  'email',
  'headers',
  'identifier',
  'key',
  'param',
  'params',
  'password',
  'payload',
  'phone',
  'query',
  'receipt',
  'secret',
  'signature',
  'token',
]);

function lineOf(record: Readonly<Record<string, unknown>>): string {
  try {
    return isPlain(record) ? JSON.stringify(record) : JSON.stringify(record, replacer);
  } catch {
    const { time, level, service, msg } = record;
    return JSON.stringify({ time, level, service, msg, unprintable: true });
  }
}

/** Whether the record can do without a replacer, which costs more than the rest of the line. */
function isPlain(record: Readonly<Record<string, unknown>>): boolean {
  for (const name in record) {
    const value = record[name];
    if ((typeof value === 'object' && value !== null) || typeof value === 'bigint' || neverLogged.has(name)) {
      return false;
    }
  }
  return true;
}

function replacer(name: string, value: unknown): unknown {
  if (neverLogged.has(name) && value !== undefined && value !== null) return redacted;
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Error) return serializeError(value);
  return value;
}

/** Buffers lines, because one winston record and one system call per line would be too slow. */
class LineBuffer {
  private lines: string[] = [];
  private characters = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly put: (lines: string) => void) {}

  add(line: string): void {
    this.characters += line.length;
    this.lines.push(line);
    if (this.characters >= bufferCharactersMax) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), lineDelayMs).unref();
  }

  /** Writes the buffered lines; also called after a delay and when the process exits. */
  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.lines.length === 0) return;
    const text = this.lines.join('\n');
    this.lines = [];
    this.characters = 0;
    this.put(text);
  }
}

const buffers = new Set<LineBuffer>();

function flushAtExit(buffer: LineBuffer): void {
  if (buffers.size === 0) process.once('exit', () => buffers.forEach((each) => each.flush()));
  buffers.add(buffer);
}

const toStdout = (lines: string): void => {
  process.stdout.write(lines);
};

/** Passes text on immediately, without a stream buffer. */
class Sink extends Writable {
  constructor(private readonly put: (lines: string) => void) {
    super({ decodeStrings: false });
  }

  override write(lines: unknown): boolean {
    this.put(lines as string);
    return true;
  }
}

const ready = winston.format((info) => {
  (info as Record<symbol, unknown>)[Symbol.for('message')] = info.message;
  return info;
});

/** Creates the logger of a process, with one JSON line per record, through winston. `flush` writes buffered lines. */
export function createLogger(options: LoggerOptions): Log & { flush(): void } {
  const { service, level, now = () => new Date() } = options;
  // Records below the level do not reach the backend.
  const backend = winston.createLogger({
    format: ready(),
    transports: [new winston.transports.Stream({ stream: new Sink(options.write ?? toStdout), eol: '\n' })],
  });
  const buffer = new LineBuffer((message) => backend.log({ level: 'info', message }));
  flushAtExit(buffer);

  const writer = (lineLevel: LogLevel) => {
    if (severity[lineLevel] > severity[level]) return () => undefined;
    return (msg: string, fields?: LogFields): void => {
      buffer.add(lineOf({ time: now().toISOString(), level: lineLevel, service, msg, ...fields }));
      // The process may exit directly after an error.
      if (lineLevel === 'error') buffer.flush();
    };
  };
  return {
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
    flush: () => buffer.flush(),
  };
}

const causesMax = 3;

/**
 * Removes quotations from messages of library errors: V8 quotes text that is not JSON, MongoDB quotes duplicate keys,
 * mail servers quote addresses, and `fetch` quotes URLs, whose queries may contain personal data.
 */
function withoutData(message: string): string {
  const duplicate = message.indexOf(' dup key:');
  if (duplicate >= 0) return message.slice(0, duplicate);
  if (message.includes('is not valid JSON')) return 'text is not valid JSON';
  return message
    .replaceAll(/\?[^\s"'<>]*/g, (query) => (query.length > 1 ? `?${redacted}` : query))
    .replaceAll(/[^\s"'<>:/@]+(?::[^\s"'<>/@]*)?@[^\s"'<>,;:/]+/g, redacted)
    .replaceAll(/\+\d{6,15}\b/g, redacted);
}

function stackOf(error: Error): string | undefined {
  const frames = error.stack?.indexOf('\n    at ') ?? -1;
  return frames < 0 ? undefined : error.stack?.slice(frames + 1);
}

/**
 * The cause of an error. Node reports several failed connections as one error without a message; the cause is then the
 * first failure.
 */
function causeOf(error: Error): unknown {
  return error.cause ?? (error instanceof AggregateError ? (error.errors as unknown[])[0] : undefined);
}

/** An error in the log, including the internal text of a ServiceError, the stack and the causes. */
export function serializeError(error: unknown, depth = 0): LogFields {
  if (!(error instanceof Error)) return { name: 'thrown value', type: typeof error };
  const { code } = error as { code?: unknown };
  const cause = causeOf(error);
  const expected = error instanceof ServiceError;
  return {
    name: error.name,
    message: withoutData(expected ? error.description : error.message),
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(expected && { status: error.status }),
    ...(expected && error.internal !== undefined && { internal: error.internal }),
    ...(cause !== undefined && depth < causesMax && { cause: serializeError(cause, depth + 1) }),
    stack: stackOf(error),
  };
}
