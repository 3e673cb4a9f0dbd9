import { createRequire } from 'node:module';
import type { Socket } from 'node:net';

/** The parts of the driver's connection that are used here. The version of the driver is pinned; a test notices when they change. */
interface Connection {
  readonly closed: boolean;
  readonly socket: Socket;
  cleanup(this: Connection, error: Error): void;
}

const { Connection } = createRequire(__filename)('mongodb/lib/cmap/connection') as {
  readonly Connection: { readonly prototype: { cleanup: Connection['cleanup'] } };
};

const released = Symbol.for('receipts.released-writes');
const { cleanup } = Connection.prototype;

/**
 * Whoever writes to a connection of the driver (7.8, and 7.9 as well) may wait until its socket has drained, and a socket that
 * was closed without an error never does: operations without a signal hang for ever, and so does the monitor, after which the
 * client knows of no server any more. So a connection that ends says so to all who wait for its socket, or come later.
 */
export function releaseWrites(): void {
  if (released in Connection.prototype) return;
  Object.defineProperty(Connection.prototype, released, { value: true });
  Connection.prototype.cleanup = function (error) {
    if (this.closed) return;
    cleanup.call(this, error);
    this.socket.write = () => {
      throw error;
    };
    // The connection itself listens as well, and is closed already.
    this.socket.emit('error', error);
  };
}
