import { connect, type Socket } from 'node:net';
import type { OpenJob } from './job-file';
import type { JobQueue } from './job-queue';
import { pause } from './pause';
import { qrCode } from './qr-code';

export interface PrinterOptions {
  readonly host: string;
  readonly port: number;
  readonly queue: JobQueue;
  readonly log: (line: string) => void;
  /** How long printing a slip is retried. No customer would wait longer for a slip. */
  readonly printMsMax?: number;
  /** How long a command outside of slips is retried. */
  readonly commandMsMax?: number;
}

interface PrintItem {
  /** The job, or undefined for commands outside of jobs, such as the opening of a drawer. */
  readonly number?: number;
  readonly deadline: number;
  open(): Promise<OpenJob | undefined>;
  read(job: OpenJob | undefined): AsyncIterable<Buffer>;
}

const defaultPrintMsMax = 60_000;
/** A drawer that opens later than this could open unattended. */
const defaultCommandMsMax = 3_000;
const connectMsMax = 3_000;
/** If a printer does not accept data for this long, it is out of paper or switched off. */
const stallMsMax = 10_000;
const closeMsMax = 2_000;
const retryMs = 1_000;
const itemsMax = 100;

/** The bytes of a slip, with the QR code of its link before the cut. */
async function* slipOf(job: OpenJob): AsyncGenerator<Buffer, void> {
  const { printFrom = 0, endsAt = job.bytes, link } = job.facts;
  yield* job.read(printFrom, endsAt);
  if (link) yield qrCode(link.href);
  yield* job.read(endsAt);
}

/** Passes slips on to a real printer, in order of arrival. Delays neither the till nor the platform. */
export class Printer {
  /** Why the last attempt failed; undefined after a success. */
  trouble: string | undefined;
  printed = 0;
  givenUp = 0;
  private readonly items: PrintItem[] = [];
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;

  constructor(private readonly options: PrinterOptions) {
    options.queue.events.on('print', (number: number) => this.addJob(number));
    // These jobs were accepted before a restart.
    for (const number of options.queue.toPrint) this.addJob(number);
  }

  get waiting(): number {
    return this.items.length;
  }

  /** Prints bytes that do not belong to a job, if the printer currently accepts them. */
  passOn(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.add({
      deadline: performance.now() + (this.options.commandMsMax ?? defaultCommandMsMax),
      open: () => Promise.resolve(undefined),
      async *read() {
        yield bytes;
      },
    });
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
    // Unprinted slips are printed after the next start.
    for (const item of this.items) await (await item.open().catch(() => undefined))?.close();
  }

  private addJob(number: number): void {
    // The file is opened immediately, because the platform may receive the job before the printer does.
    const opened = this.options.queue.read(number);
    opened.catch(() => undefined);
    this.add({
      number,
      deadline: performance.now() + (this.options.printMsMax ?? defaultPrintMsMax),
      open: () => opened,
      read: (job) => (job ? slipOf(job) : []) as AsyncIterable<Buffer>,
    });
  }

  private add(item: PrintItem): void {
    this.items.push(item);
    this.running ??= this.run().finally(() => (this.running = undefined));
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    for (let item = this.items[0]; item && !signal.aborted; item = this.items[0]) {
      const job = await item.open().catch(() => undefined);
      const isPrinted = await this.tryUntilDeadline(item, job, signal);
      if (signal.aborted) return;
      this.items.shift();
      await job?.close();
      if (item.number === undefined) continue;
      if (isPrinted) this.printed += 1;
      else this.givenUp += 1;
      await this.options.queue.printed(item.number);
    }
  }

  private async tryUntilDeadline(
    item: PrintItem,
    job: OpenJob | undefined,
    signal: AbortSignal,
  ): Promise<boolean> {
    const isHeldUp = () => this.items.length > itemsMax;
    // The slip may have waited behind another slip.
    while (performance.now() < item.deadline) {
      try {
        await this.print(item.read(job), signal);
        if (this.trouble !== undefined) this.options.log('the printer accepts slips again');
        this.trouble = undefined;
        return true;
      } catch (error) {
        const { message } = error as Error;
        if (this.trouble !== message) this.options.log(`the printer does not accept slips: ${message}`);
        this.trouble = message;
      }
      if (isHeldUp() || signal.aborted) return false;
      await pause(retryMs, signal);
    }
    return false;
  }

  private async print(bytes: AsyncIterable<Buffer>, signal: AbortSignal): Promise<void> {
    const { host, port } = this.options;
    const socket = connect({ host, port, allowHalfOpen: false });
    socket.on('error', () => {});
    // The signal is not passed to `connect`, which never removes its listener and would keep each socket in memory.
    const abort = () => socket.destroy();
    signal.addEventListener('abort', abort);
    // The agent has already responded for the printer.
    socket.resume();
    try {
      await event(socket, 'connect', connectMsMax);
      for await (const chunk of bytes) if (!socket.write(chunk)) await event(socket, 'drain', stallMsMax);
      socket.end();
      await event(socket, 'finish', stallMsMax);
      // A printer that closes the connection has read everything; not every printer does so.
      await event(socket, 'close', closeMsMax).catch((error: Error) => {
        if (socket.errored) throw error;
      });
    } finally {
      signal.removeEventListener('abort', abort);
      socket.destroy();
    }
  }
}

/** Waits for an event of the socket. @throws Error if the socket fails or closes first, or takes too long */
function event(socket: Socket, name: 'connect' | 'drain' | 'finish' | 'close', msMax: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error) => {
      clearTimeout(timer);
      socket.off(name, succeed).off('error', settle).off('close', close);
      if (error) reject(error);
      else resolve();
    };
    const succeed = () => settle(socket.errored ?? undefined);
    const close = () => settle(socket.errored ?? new Error('the printer has closed the connection'));
    const timer = setTimeout(
      () => settle(new Error(`the printer did not respond within ${msMax / 1_000} s`)),
      msMax,
    );
    if (socket.errored || socket.destroyed) return close();
    socket.once(name, succeed).once('error', settle);
    if (name !== 'close') socket.once('close', close);
  });
}
