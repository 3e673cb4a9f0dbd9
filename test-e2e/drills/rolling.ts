import { serviceNames, type Child, type Platform, type ServiceName } from '@receipts/local';
import { startTcpProxy } from '@receipts/testing';
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
async function startBalancer(platform: Platform): Promise<{ readonly port: number; close(): Promise<void> }> {
  let ready: readonly Child[] = [];
  let turn = 0;
  const probe = async () => {
    const gateways = platform.instances('gateway');
    const answers = await Promise.all(gateways.map(isReady));
    ready = gateways.filter((_gateway, index) => answers[index]);
  };
  await probe();
  const proxy = await startTcpProxy(() => {
    const gateway = ready[turn++ % ready.length];
    return gateway && Number(gateway.facts['port']);
  });
  const timer = setInterval(() => void probe(), probeEveryMs);
  const close = () => {
    clearInterval(timer);
    return proxy.close();
  };
  return { port: proxy.port, close };
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
  const balancer = await startBalancer(ground.platform);
  return {
    ...ground,
    baseUrl: `http://127.0.0.1:${balancer.port}`,
    async close() {
      await balancer.close();
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
