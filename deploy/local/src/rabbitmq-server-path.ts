import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';

/** Where packages install the server itself. These folders are not always on the PATH. */
const serverPaths = [
  '/usr/lib/rabbitmq/bin/rabbitmq-server',
  '/opt/rabbitmq/sbin/rabbitmq-server',
  '/opt/homebrew/opt/rabbitmq/sbin/rabbitmq-server',
  '/usr/local/opt/rabbitmq/sbin/rabbitmq-server',
];

/**
 * The actual server behind a `rabbitmq-server` on the PATH. Debian's is a wrapper that changes the user and folders,
 * and a version manager's shim needs another HOME; the actual server has its other scripts next to it.
 */
function serverIn(folder: string): string | undefined {
  const file = path.join(folder, 'rabbitmq-server');
  if (!existsSync(file)) return undefined;
  const server = realpathSync(file);
  const isServer =
    path.basename(server) === 'rabbitmq-server' &&
    existsSync(path.join(path.dirname(server), 'rabbitmq-env'));
  return isServer ? server : undefined;
}

/** The path of an installed RabbitMQ server, if there is one: the first on the PATH, otherwise that of a package. */
export function rabbitServerPath(
  searchPath = process.env['PATH'] ?? '',
  exists: (file: string) => boolean = (file) => existsSync(file),
): string | undefined {
  const folders = searchPath.split(path.delimiter).filter(Boolean);
  const found = folders.map(serverIn).find((server) => server !== undefined);
  return found ?? serverPaths.find((candidate) => exists(candidate));
}
