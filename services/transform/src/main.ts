import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runService, stopInOrder, storageMetrics } from '@receipts/host';
import { connectBroker } from '@receipts/messaging';
import { connectStore } from '@receipts/storage';
import { readConfig } from './config';
import { createSandbox } from './sandbox/sandbox';
import { startTransformService } from './service';

const config = readConfig();
const { version } = JSON.parse(readFileSync(join(__dirname, '../package.json'), 'utf8')) as {
  version: string;
};

runService({
  name: 'transform',
  version,
  settings: config,
  async start({ log, health, metrics }) {
    const service = 'transform';
    const store = await connectStore({
      uri: config.MONGODB_URI,
      database: config.MONGODB_DATABASE,
      service,
      log,
      metrics: storageMetrics(metrics),
    });
    const broker = await connectBroker({ url: config.AMQP_URL, service, log });
    const packets = metrics.counter({
      name: 'packets_total',
      help: 'Packets by what became of them.',
      labels: ['outcome'],
    });
    const kills = metrics.counter({
      name: 'sandbox_kills_total',
      help: 'Sandboxed processes that ended before their work was done.',
      labels: ['reason'],
    });
    const sandbox = createSandbox({
      processesMax: config.SANDBOX_PROCESSES_MAX,
      onKilled(reason) {
        kills.inc({ reason });
        log.warn('a sandboxed process was lost', { reason });
      },
    });
    metrics.gauge({
      name: 'sandbox_waiting_packets',
      help: 'Packets that wait for a sandboxed process.',
      collect: (gauge) => gauge.set(sandbox.facts.waiting),
    });
    await startTransformService({
      broker,
      store,
      sandbox,
      log,
      countOutcome: (outcome) => packets.inc({ outcome }),
    });
    health.addCheck('database', () => store.ping());
    health.addCheck('sandbox', () => sandbox.facts.canStart);
    health.addCheck('broker', () => broker.state === 'up');
    return {
      stop: () =>
        stopInOrder(log, [
          { name: 'broker', timeoutMs: 9_000, stop: () => broker.close({ graceMs: 8_000 }) },
          { name: 'sandbox', timeoutMs: 1_000, stop: () => sandbox.stop() },
          { name: 'store', timeoutMs: 2_000, stop: () => store.close() },
        ]),
    };
  },
});
