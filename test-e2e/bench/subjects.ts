import { serviceNames, Child, type Platform } from '@receipts/local';
import type { Watched } from './measure';
import path from 'node:path';

/** A server that performs the benchmark's tasks, and its processes. */
export interface Subject {
  readonly name: string;
  readonly port: number;
  watched(): readonly Watched[];
}

const readyTimeoutMs = 20_000;

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

/** A baseline for comparison, consisting of a gateway and a service process. */
export class Yardstick implements Subject {
  private constructor(
    readonly name: string,
    private readonly children: readonly Child[],
    private readonly brokerPid: number | undefined,
  ) {}

  static async start(
    name: string,
    script: string,
    { broker, logDir }: { readonly broker: Platform['broker']; readonly logDir: string },
  ): Promise<Yardstick> {
    const children = ['service', 'gateway'].map(
      (role) =>
        new Child({
          name: `${name}-${role}`,
          script: path.join(__dirname, script),
          args: [role, broker.url],
          env: process.env,
          logDir,
        }),
    );
    for (const child of children) await child.start(readyTimeoutMs);
    return new Yardstick(name, children, broker.pid);
  }

  get port(): number {
    return Number(this.children[1]?.facts['port']);
  }

  watched(): readonly Watched[] {
    const own = this.children.map(({ name, pid }) => ({ name, pid: pid ?? 0 }));
    return this.brokerPid === undefined ? own : [...own, { name: 'broker', pid: this.brokerPid }];
  }

  async stop(): Promise<void> {
    await Promise.all(this.children.map((child) => child.stop()));
  }
}
