import { createRequire } from 'node:module';
import type { Socket } from 'node:net';

/**
 * The members of the driver's connection that are used here. They are internal, so the driver's version is
 * pinned and a test fails when they change.
 */
interface Connection {
  readonly closed: boolean;
  readonly socket: Socket;
  cleanup(this: Connection, error: Error): void;
}

const { Connection } = createRequire(__filename)('mongodb/lib/cmap/connection') as {
  readonly Connection: { readonly prototype: { cleanup: Connection['cleanup'] } };
};

const released = Symbol.for('receipts.driver-drain-fix');
const { cleanup } = Connection.prototype;

/**
 * In driver 7.8 and 7.9, a write to a connection can wait for its socket to drain. A socket that was closed without an
 * error never drains, so operations without a signal hang forever; the driver has no option that limits this wait. The
 * monitor hangs as well, and the client then has no server. Therefore, a connection that is cleaned up emits the error
 * on its socket and fails all later writes. The wait is that of mongodb/node-mongodb-native#4022.
 */
export function fixDriverDrain(): void {
  if (released in Connection.prototype) return;
  Object.defineProperty(Connection.prototype, released, { value: true });
  Connection.prototype.cleanup = function (error) {
    if (this.closed) return;
    cleanup.call(this, error);
    this.socket.write = () => {
      throw error;
    };
    // The connection itself also listens for this event, but it is already closed and ignores it.
    this.socket.emit('error', error);
  };
}
