import { MongoClient } from 'mongodb';
import type { Platform } from '@receipts/local';
import type { PlannedRequest } from './load';
import { measureRounds, type Row, type RoundOptions } from './rounds';
import { Yardstick, type Subject } from './subjects';
import { receiptBody } from './work';

/** The monolith and its split over RabbitMQ, see `storing-peers.ts`. */
const roles = { monolith: ['monolith'], split: ['service', 'gateway'] } as const;

const connectionsOfPeers = [1, 64, 512] as const;

const post: PlannedRequest = { method: 'POST', paths: ['/receipts'], body: receiptBody, expectedStatus: 201 };

interface PeerOptions extends Omit<RoundOptions, 'plan'> {
  readonly plan: (subject: Subject, request: PlannedRequest) => ReturnType<RoundOptions['plan']>;
  readonly logDir: string;
  /** Called with each row. */
  readonly measured: (row: Row) => void;
}

/**
 * Compares POST /receipts with peers that store each receipt in the same database server.
 * @returns what was lost: a line for each subject that has stored fewer receipts than it has acknowledged
 */
export async function measurePeers(
  platform: Platform,
  ours: Subject,
  options: PeerOptions,
): Promise<string[]> {
  const { broker, database } = platform;
  const { secret } = platform.credentials.bearer;
  const client = new MongoClient(database.uri);
  const peers: Yardstick[] = [];
  try {
    for (const [name, itsRoles] of Object.entries(roles)) {
      const args = [broker.url, database.uri, secret];
      const servers = [
        { name: 'store', pid: database.pid ?? 0 },
        { name: 'broker', pid: broker.pid ?? 0 },
      ];
      const { logDir } = options;
      const peer = { script: 'storing-peers.js', roles: itsRoles, args, servers, logDir };
      peers.push(await Yardstick.start(name, peer));
    }
    const databases = new Map([
      ['monolith', 'peers_monolith'],
      ['split', 'peers_service'],
      [ours.name, `${platform.name}_receipt_store`.replaceAll('-', '_')],
    ]);
    const stored = (subject: string) =>
      client.db(databases.get(subject)).collection('receipts').countDocuments({});
    const subjects = [...peers, ours];
    const lost: string[] = [];
    for (const connections of connectionsOfPeers) {
      const before = new Map<string, number>();
      for (const { name } of subjects) before.set(name, await stored(name));
      const name = `POST /receipts next to peers that store receipts, connections: ${connections}`;
      const plan = (subject: Subject) => options.plan(subject, { ...post, connections });
      const row = await measureRounds(name, subjects, { ...options, plan });
      options.measured(row);
      for (const subject of subjects) {
        const kept = (await stored(subject.name)) - (before.get(subject.name) ?? 0);
        const answered = row.answered.get(subject.name) ?? 0;
        if (kept < answered)
          lost.push(`${name}: ${subject.name} has stored ${kept} of ${answered} acknowledged receipts`);
      }
    }
    return lost;
  } finally {
    await Promise.all(peers.map((peer) => peer.stop()));
    await client.close();
  }
}
