import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { serviceNames, type Child, type Platform, type ServiceName } from '@receipts/local';
import type { Ground } from './faults';
import { openGround, type OpenGround, type Stage } from './stages';

const instances = 2;
const probeEveryMs = 100;
const probeTimeoutMs = 1_000;
/** Several times the delay with which a balancer notices that a process is not ready. */
const drainDelayMs = 1_500;

/** True if a process is ready for requests, by the probe of an orchestrator. */
async function isReady({ running, facts }: Child): Promise<boolean> {
  if (!running) return false;
  const signal = AbortSignal.timeout(probeTimeoutMs);
  const answer = await fetch(`http://127.0.0.1:${String(facts['healthPort'])}/ready`, { signal }).catch(
    () => undefined,
  );
  return answer?.ok ?? false;
}

/** Forwards each new connection to one of the gateways that are ready. */
export class Balancer {
  private ready: readonly Child[] = [];
  private turn = 0;
  private readonly timer: NodeJS.Timeout;
  private readonly server = createServer((client) => this.pass(client));
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly platform: Platform) {
    this.timer = setInterval(() => void this.probe(), probeEveryMs);
  }

  static async start(platform: Platform): Promise<Balancer> {
    const balancer = new Balancer(platform);
    await balancer.probe();
    await new Promise<void>((resolve) => balancer.server.listen(0, '127.0.0.1', resolve));
    return balancer;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    clearInterval(this.timer);
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private async probe(): Promise<void> {
    const gateways = this.platform.instances('gateway');
    const answers = await Promise.all(gateways.map(isReady));
    this.ready = gateways.filter((_gateway, index) => answers[index]);
  }

  private pass(client: Socket): void {
    const gateway = this.ready[this.turn++ % this.ready.length];
    if (!gateway) return void client.destroy();
    const target = connect(Number(gateway.facts['port']), '127.0.0.1');
    for (const [from, to] of [
      [client, target],
      [target, client],
    ] as const) {
      this.sockets.add(from);
      from.setNoDelay(true);
      from.on('error', () => undefined);
      from.on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  }
}

/** Replaces all processes of a service, one after the other. The new process is ready before the old one is stopped. */
export async function roll({ platform }: Ground, name: ServiceName): Promise<void> {
  for (const child of [...platform.instances(name)]) await platform.replace(name, child);
}

/** Two processes of each service behind a balancer. */
export async function openRolling(release?: (name: ServiceName) => string): Promise<OpenGround> {
  const ground = await openGround({
    instances: Object.fromEntries(serviceNames.map((name) => [name, instances])),
    env: { DRAIN_DELAY_MS: String(drainDelayMs) },
    ...(release && { release }),
  });
  const balancer = await Balancer.start(ground.platform);
  return {
    ...ground,
    baseUrl: balancer.baseUrl,
    async close() {
      balancer.close();
      await ground.close();
    },
  };
}

/** Services come before their callers, so the gateway is the last one. */
export const rollingOrder: readonly ServiceName[] = serviceNames;

export function rollingStage(): Stage {
  return {
    open: () => openRolling(),
    faults: [
      {
        name: 'rolling restart of every service',
        refusesNothing: true,
        async inflict(ground) {
          for (const name of rollingOrder) await roll(ground, name);
        },
      },
    ],
  };
}
