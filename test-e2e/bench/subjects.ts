import path from 'node:path';
import { Child, serviceNames, type Platform } from '@receipts/local';
import type { Watched } from './measure';

/** A server that performs the benchmark's tasks, and its processes. */
export interface Subject {
  readonly name: string;
  readonly port: number;
  /** The database with the collection `receipts`. */
  readonly database: string;
  watched(): readonly Watched[];
}

/** The servers that all subjects share, counted for each. */
const serversOf = ({ database, broker }: Platform): readonly Watched[] => [
  { name: 'store', pid: database.pid ?? 0 },
  { name: 'broker', pid: broker.pid ?? 0 },
];

export function platformSubject(platform: Platform): Subject {
  return {
    name: 'platform',
    port: Number(new URL(platform.baseUrl).port),
    database: `${platform.name.replaceAll('-', '_')}_receipt_store`,
    watched() {
      const services = serviceNames.flatMap((name) => platform.instances(name));
      return [...services.map(({ name, pid }) => ({ name, pid: pid ?? 0 })), ...serversOf(platform)];
    },
  };
}

/** A server for comparison, see `peer.ts`. */
export class Peer implements Subject {
  readonly database: string;

  private constructor(
    readonly name: string,
    private readonly child: Child,
    private readonly servers: readonly Watched[],
  ) {
    this.database = `peer_${name}`;
  }

  static async start(role: 'storing' | 'equal', platform: Platform, logDir: string): Promise<Peer> {
    const { broker, database, credentials } = platform;
    const script = path.join(__dirname, 'peer.js');
    const args = [role, broker.url, database.uri, credentials.bearer.secret];
    const child = new Child({ name: role, script, args, env: process.env, logDir });
    await child.start();
    return new Peer(role, child, serversOf(platform));
  }

  get port(): number {
    return Number(this.child.facts['port']);
  }

  watched(): readonly Watched[] {
    return [{ name: this.name, pid: this.child.pid ?? 0 }, ...this.servers];
  }

  stop(): Promise<void> {
    return this.child.stop();
  }
}
