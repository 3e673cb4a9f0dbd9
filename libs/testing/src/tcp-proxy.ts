import { connect, createServer, type Socket } from 'node:net';

/** A TCP proxy on this machine that simulates network failures. */
export interface TcpProxy {
  readonly port: number;
  /** Resets all connections, as a failing network does. New ones are accepted. */
  cut(): void;
  /** Stops forwarding on existing connections, as a network that drops packets. New ones work. */
  freeze(): void;
  /** Accepts (true) or refuses (false) new connections. */
  admit(on: boolean): void;
  close(): Promise<void>;
}

/** Forwards connections to a port of this machine. */
export function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isAdmitting = true;
  const keep = (socket: Socket, partner: Socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      partner.destroy();
    });
    socket.pipe(partner);
  };
  const freeze = () => {
    for (const socket of sockets) {
      socket.unpipe();
      // Incoming data are discarded; only the end of the connection is passed on.
      socket.resume();
    }
  };
  const server = createServer((client) => {
    if (!isAdmitting) return void client.destroy();
    const target = connect(targetPort, '127.0.0.1');
    keep(client, target);
    keep(target, client);
  });
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve({
        port: typeof address === 'object' && address ? address.port : 0,
        cut,
        freeze,
        admit: (on) => void (isAdmitting = on),
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            cut();
          }),
      });
    });
  });
}
