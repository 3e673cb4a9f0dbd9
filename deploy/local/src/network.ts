import { randomInt } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import net from 'node:net';

const probeTimeoutMs = 1_000;

/**
 * True if a server accepts connections at the address.
 * @param greeting sent to the server, which must respond
 */
export function isListening(
  where: { readonly port: number; readonly host?: string } | { readonly path: string },
  greeting?: Buffer,
): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect('path' in where ? where : { host: '127.0.0.1', ...where });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(probeTimeoutMs, () => end(false));
    socket.once('connect', () => (greeting ? socket.write(greeting) : end(true)));
    socket.once('data', () => end(true));
    socket.once('error', () => end(false));
    socket.once('close', () => end(false));
  });
}

/** Why no server can listen at the address; undefined if one can. */
function listenError(port: number, host: string): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', resolve);
    server.listen({ port, host }, () => server.close(() => resolve(undefined)));
  });
}

/**
 * Resolves if the address is free.
 * @throws a one-line Error that states what is wrong with the address
 */
export async function assertFree(port: number, host: string): Promise<void> {
  const error = await listenError(port, host);
  if (error === undefined) return;
  const reason =
    error.code === 'EADDRINUSE' ? 'is already in use' : `cannot be used (${error.code ?? error.message})`;
  throw new Error(`Port ${port} of ${host} ${reason}: set PORT (and HOST) to a free address.`);
}

/**
 * The lowest port that the kernel takes for connections and for servers that do not choose one. Linux states it; macOS
 * begins at 49152.
 */
function lowestEphemeralPort(): number {
  const file = '/proc/sys/net/ipv4/ip_local_port_range';
  return existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : 32_768;
}

/** Ports on which people expect RabbitMQ or MongoDB. */
const wellKnown: ReadonlySet<number> = new Set([15_672, 25_672, 27_017]);
const lowestPort = 10_000;

/**
 * A port of the loopback address that no process uses. It is not an ephemeral port, because a connection could take
 * such a port before the server listens, or while it restarts.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowestPort, Math.max(lowestEphemeralPort(), 2 * lowestPort));
    const error = await listenError(port, '127.0.0.1');
    if (error === undefined && !wellKnown.has(port)) return port;
    if (error !== undefined && error.code !== 'EADDRINUSE') throw error;
  }
}
