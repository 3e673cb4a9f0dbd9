import { serviceNames, Child, type Platform } from '@receipts/local';
import type { Watched } from './measure';
import path from 'node:path';

/** A server that performs the benchmark's tasks, and its processes. */
export interface Subject {
  readonly name: string;
  readonly port: number;
  watched(): readonly Watched[];
}

/** The platform including its database. The broker is shared by all subjects and counted for each. */
export function platformSubject(platform: Platform): Subject {
  return {
    name: 'platform',
    port: Number(new URL(platform.baseUrl).port),
    watched() {
      const services = serviceNames.flatMap((name) => platform.instances(name));
      return [
        ...services.map(({ name, pid }) => ({ name, pid: pid ?? 0 })),
        { name: 'store', pid: platform.database.pid ?? 0 },
        { name: 'broker', pid: platform.broker.pid ?? 0 },
      ].filter(({ pid }) => pid > 0);
    },
  };
}

interface YardstickOptions {
  readonly script: string;
  /** A process for each role. The last one serves HTTP. */
  readonly roles: readonly string[];
  /** The arguments after the role. */
  readonly args: readonly string[];
  /** The servers that it shares with all subjects, which are counted for each. */
  readonly servers: readonly Watched[];
  readonly logDir: string;
}

/** A server for comparison. */
export class Yardstick implements Subject {
  private constructor(
    readonly name: string,
    private readonly children: readonly Child[],
    private readonly servers: readonly Watched[],
  ) {}

  static async start(name: string, options: YardstickOptions): Promise<Yardstick> {
    const { script, roles, args, servers, logDir } = options;
    const children = roles.map(
      (role) =>
        new Child({
          name: `${name}-${role}`,
          script: path.join(__dirname, script),
          args: [role, ...args],
          env: process.env,
          logDir,
        }),
    );
    for (const child of children) await child.start();
    return new Yardstick(name, children, servers);
  }

  get port(): number {
    return Number(this.children.at(-1)?.facts['port']);
  }

  watched(): readonly Watched[] {
    const own = this.children.map(({ name, pid }) => ({ name, pid: pid ?? 0 }));
    return [...own, ...this.servers].filter(({ pid }) => pid > 0);
  }

  async stop(): Promise<void> {
    await Promise.all(this.children.map((child) => child.stop()));
  }
}
