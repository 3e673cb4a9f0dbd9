import { Writable } from 'node:stream';
import winston from 'winston';
import { ServiceError } from '@receipts/kernel';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Facts beside the message: snake_case names, plain values. Never bodies, secrets or personal data. */
export type LogFields = Readonly<Record<string, unknown>>;

export interface Logger {
  debug(msg: string, fields?: LogFields): void;
  info(msg: string, fields?: LogFields): void;
  warn(msg: string, fields?: LogFields): void;
  error(msg: string, fields?: LogFields): void;
}

export interface LoggerOptions {
  readonly service: string;
  readonly level: LogLevel;
  /** Where lines go; stdout unless a test says otherwise. */
  readonly write?: (lines: string) => void;
  readonly now?: () => Date;
}

const severity: Readonly<Record<LogLevel, number>> = { error: 0, warn: 1, info: 2, debug: 3 };

/** Lines wait so long for company, and are then written together. */
const lineDelayMs = 20;
const bufferCharactersMax = 65_536;

const redacted = '[redacted]';

/**
 * Names under which people put by mistake what must not be logged. It is a net under the rule, not the rule: do not hand
 * such values to the log at all.
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

/** True when there is nothing in it for the replacer, which costs more than all the rest of the line. */
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
  if (value instanceof Error) return errorFields(value);
  return value;
}

/** Lines on their way out: one record of winston's and one system call for many lines. */
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

  /** Writes what waits; it does so by itself after a moment and when the process exits. */
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

/** Takes ready text and writes it at once. */
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

/** Makes the logger of a process: one JSON line a record, through winston. `flush` writes what is still buffered. */
export function createLogger(options: LoggerOptions): Logger & { flush(): void } {
  const { service, level, now = () => new Date() } = options;
  // What is below the level never gets here.
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
      // An error may be the last thing that a process says.
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
 * Cuts out of a message what foreign software quotes of the data: V8 quotes the text that is not JSON, and MongoDB quotes
 * the key that exists already.
 */
function withoutData(message: string): string {
  const duplicate = message.indexOf(' dup key:');
  if (duplicate >= 0) return message.slice(0, duplicate);
  if (message.includes('is not valid JSON')) return 'text is not valid JSON';
  return message;
}

function stackOf(error: Error): string | undefined {
  const frames = error.stack?.indexOf('\n    at ') ?? -1;
  return frames < 0 ? undefined : error.stack?.slice(frames + 1);
}

/** What the log keeps of an error, including the internal text of a ServiceError, the stack and the causes. */
export function errorFields(error: unknown, depth = 0): LogFields {
  if (!(error instanceof Error)) return { error: 'thrown value', error_type: typeof error };
  const { code } = error as { code?: unknown };
  const expected = error instanceof ServiceError;
  return {
    error: error.name,
    error_message: withoutData(expected ? error.description : error.message),
    ...((typeof code === 'string' || typeof code === 'number') && { error_code: code }),
    ...(expected && { status: error.status }),
    ...(expected && error.internal !== undefined && { internal: error.internal }),
    ...(error.cause !== undefined && depth < causesMax && { cause: errorFields(error.cause, depth + 1) }),
    stack: stackOf(error),
  };
}
