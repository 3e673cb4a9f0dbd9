import { connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { listen } from './listen';

/** A TCP proxy on this machine that simulates network failures. */
export interface TcpProxy {
  readonly port: number;
  /** Resets all connections, as a failing network does. New connections are accepted. */
  cut(): void;
  /** Stops forwarding on existing connections, like a network that drops packets. New connections work. */
  freeze(): void;
  /** Delays all data on every connection by this time in each direction; 0 ends the delay. */
  delay(ms: number): void;
  /** Accepts (true) or refuses (false) new connections. */
  admit(on: boolean): void;
  close(): Promise<void>;
}

/**
 * Forwards connections to a port of this machine.
 * @param target the port, or a function that chooses it for each connection; a connection without a port is closed
 * @param observe called for each connection; the returned function is called with the client's bytes before they are
 * forwarded
 */
export async function startTcpProxy(
  target: number | (() => number | undefined),
  observe?: () => (bytes: Buffer) => void,
): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let delayMs = 0;
  let isAdmitting = true;
  const forward = (socket: Socket, partner: Socket, onBytes?: (bytes: Buffer) => void) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      partner.destroy();
    });
    const late = new Transform({
      transform(bytes: Buffer, _encoding, done) {
        onBytes?.(bytes);
        if (delayMs === 0) done(null, bytes);
        else setTimeout(() => done(null, bytes), delayMs);
      },
    });
    socket.pipe(late).pipe(partner);
  };
  const freeze = () => {
    for (const socket of sockets) {
      socket.unpipe();
      // Incoming data is discarded; only the end of the connection is passed on.
      socket.resume();
    }
  };
  const server = createServer((client) => {
    const port = typeof target === 'number' ? target : target();
    if (!isAdmitting || port === undefined) return void client.destroy();
    const upstream = connect(port, '127.0.0.1');
    forward(client, upstream, observe?.());
    forward(upstream, client);
  });
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    port: await listen(server),
    cut,
    freeze,
    delay: (ms) => void (delayMs = ms),
    admit: (on) => void (isAdmitting = on),
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        cut();
      }),
  };
}
