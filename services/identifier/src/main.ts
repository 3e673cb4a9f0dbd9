import { readFileSync } from 'node:fs';
import path from 'node:path';
import { messagingMetrics, runService, stopInOrder, storageMetrics } from '@receipts/host';
import { connectBroker } from '@receipts/messaging';
import { connectStore } from '@receipts/storage';
import { readConfig } from './config';
import { startIdentifierService } from './service';

const name = 'identifier';
const config = readConfig();
const { version } = JSON.parse(readFileSync(path.join(__dirname, '../package.json'), 'utf8')) as {
  version: string;
};

runService({
  name,
  version,
  settings: config,
  async start({ log, health, metrics }) {
    const store = await connectStore({
      uri: config.MONGODB_URI,
      database: config.MONGODB_DATABASE,
      service: name,
      log,
      metrics: storageMetrics(metrics),
    });
    const broker = await connectBroker({
      url: config.AMQP_URL,
      service: name,
      log,
      metrics: messagingMetrics(metrics),
    });
    const service = await startIdentifierService({ broker, store, log });
    health.addCheck('database', () => store.ping());
    health.addCheck('broker', () => broker.state === 'up');
    return {
      stop: () =>
        stopInOrder(log, [
          { name: 'service', timeoutMs: 9_000, stop: () => service.stop() },
          { name: 'broker', timeoutMs: 2_000, stop: () => broker.close({ graceMs: 1_000 }) },
          { name: 'store', timeoutMs: 1_000, stop: () => store.close() },
        ]),
    };
  },
});
