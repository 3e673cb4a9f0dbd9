import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messagingMetrics, runService, sealer, stopInOrder, storageMetrics } from '@receipts/host';
import { connectBroker } from '@receipts/messaging';
import { connectStore } from '@receipts/storage';
import { readConfig } from './config';
import { startAdminService } from './service';

const { version } = JSON.parse(readFileSync(join(__dirname, '../package.json'), 'utf8')) as {
  version: string;
};
const config = readConfig();

runService({
  name: 'admin',
  version,
  settings: config,
  async start({ log, health, metrics }) {
    const service = 'admin';
    const store = await connectStore({
      uri: config.MONGODB_URI,
      database: config.MONGODB_DATABASE,
      service,
      log,
      metrics: storageMetrics(metrics),
    });
    const broker = await connectBroker({
      url: config.AMQP_URL,
      service,
      log,
      metrics: messagingMetrics(metrics),
    });
    const admin = await startAdminService({ broker, store, sealer: sealer(config.MASTER_KEY), log });
    health.addCheck('database', () => store.ping());
    health.addCheck('broker', () => broker.state === 'up');
    return {
      stop: () =>
        stopInOrder(log, [
          { name: 'service', timeoutMs: 9_000, stop: () => admin.stop() },
          { name: 'broker', timeoutMs: 2_000, stop: () => broker.close({ graceMs: 1_000 }) },
          { name: 'store', timeoutMs: 1_000, stop: () => store.close() },
        ]),
    };
  },
});
