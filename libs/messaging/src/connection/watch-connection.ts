import type { Log } from '../reporting/log';
import type { Connection } from './connection';
import { resolvesWithin } from './timing';

export interface WatchOptions {
  readonly connection: Connection;
  readonly name: string;
  readonly log: Log;
  /** Opens another connection. */
  readonly probe: () => Promise<Connection>;
}

const everyMs = 1_000;
const answerTimeoutMs = 2_000;
const probeTimeoutMs = 1_500;

/**
 * Gives up a connection that gets no responses although the broker responds to a new one, for example because a
 * network drops packets or a proxy hangs. Heartbeats detect this only after 15 s; a broker that responds to no
 * connection is left to them.
 */
export function watchConnection(options: WatchOptions): void {
  const { connection } = options;
  const timer = setTimeout(() => {
    if (connection.isLost) return;
    void check(options).then(() => watchConnection(options));
  }, everyMs);
  timer.unref();
}

async function check({ connection, name, log, probe }: WatchOptions): Promise<void> {
  // A broker that blocks a connection does not read requests on it.
  if (connection.isBlocked || (await resolvesWithin(answerTimeoutMs, connection.answers()))) return;
  if (connection.isLost || connection.isBlocked) return;
  const other = probe();
  const answersOthers = await resolvesWithin(probeTimeoutMs, other);
  void other.then((opened) => opened.close()).catch(() => {});
  // On a busy machine the response may just be late, so the connection gets another chance.
  if (!answersOthers || (await resolvesWithin(answerTimeoutMs, connection.answers())) || connection.isLost)
    return;
  log.error('a connection does not answer while the broker answers others; it is given up', {
    connection: name,
  });
  connection.destroy();
}
