import net from 'node:net';

const probeTimeoutMs = 500;

/** True if a server accepts connections at the address. */
export function isListening(
  where: { readonly port: number; readonly host?: string } | { readonly path: string },
): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect('path' in where ? where : { host: '127.0.0.1', ...where });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(probeTimeoutMs, () => end(false));
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}

/**
 * Resolves if the address is free.
 * @throws a one-line Error that states what is wrong with the address
 */
export function assertFree(port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason =
        error.code === 'EADDRINUSE' ? 'is already in use' : `cannot be used (${error.code ?? error.message})`;
      reject(new Error(`Port ${port} of ${host} ${reason}: set PORT (and HOST) to a free address.`));
    });
    server.listen({ port, host }, () => server.close(() => resolve()));
  });
}

/** A port of the loopback address that no process uses. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
