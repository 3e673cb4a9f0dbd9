import type { Socket } from 'node:net';
import { MongoError } from '../errors';
import { errorAnswer } from './error-answer';
import { Framer, ProtocolError, parseMessage, replyHead, type Request } from './message';

/** Documents of at least this size are written from their own buffers; copying a shorter one is cheaper. */
const longBytesMin = 16 * 1024;
/** The maximum number of bytes of unsent replies to a client. If it is exceeded, the connection is closed. */
const unreadBytesMax = 64 * 1024 * 1024;

/**
 * A client connection. Requests are handled in order, one at a time. Bytes that are not a valid message close only this
 * connection.
 */
export class Connection {
  private readonly framer = new Framer();
  private readonly waiting: Buffer[] = [];
  private busy = false;

  constructor(
    private readonly socket: Socket,
    private readonly run: (request: Request) => Promise<Buffer>,
    /** Called with internal errors. Invalid messages are the client's error. */
    private readonly onFault: (error: unknown) => void,
  ) {
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    socket.on('error', () => socket.destroy());
  }

  private receive(chunk: Buffer): void {
    try {
      for (const message of this.framer.push(chunk)) this.waiting.push(message);
    } catch (error) {
      this.refuse(error);
      return;
    }
    if (!this.busy) void this.work();
    else if (this.waiting.length > 1) this.socket.pause();
  }

  private async work(): Promise<void> {
    this.busy = true;
    try {
      for (let m = this.waiting.shift(); m !== undefined; m = this.waiting.shift()) {
        const request = this.parse(m);
        if (request === undefined) continue;
        const doc = await this.run(request);
        if (this.socket.destroyed) break;
        if (!request.silent) this.send(request, doc);
      }
    } catch (error) {
      this.refuse(error);
    }
    this.busy = false;
    if (this.socket.isPaused()) this.socket.resume();
  }

  /** The request, or undefined if an error was already sent as the reply. */
  private parse(m: Buffer): Request | undefined {
    try {
      return parseMessage(m);
    } catch (error) {
      if (!(error instanceof MongoError)) throw error;
      this.send({ requestId: m.readInt32LE(4), legacy: false }, errorAnswer(error));
      return undefined;
    }
  }

  private send(request: Pick<Request, 'requestId' | 'legacy'>, doc: Buffer): void {
    const head = replyHead(request, doc.length);
    if (doc.length < longBytesMin) this.socket.write(Buffer.concat([head, doc]));
    else {
      this.socket.cork();
      this.socket.write(head);
      this.socket.write(doc);
      this.socket.uncork();
    }
    if (this.socket.writableLength > unreadBytesMax) this.socket.destroy();
  }

  private refuse(e: unknown): void {
    this.socket.destroy();
    if (!(e instanceof ProtocolError)) this.onFault(e);
  }
}
