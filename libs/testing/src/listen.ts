import type { AddressInfo, Server } from 'node:net';

/** Makes a server listen on a free port of the loopback address. Returns the port. */
export function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}
