import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runService, stopInOrder, storageMetrics } from '@receipts/host';
import { connectBroker } from '@receipts/messaging';
import { connectStore } from '@receipts/storage';
import { readConfig } from './config';
import { startIngestService } from './service';

const config = readConfig();
const { version } = JSON.parse(readFileSync(join(__dirname, '../package.json'), 'utf8')) as {
  version: string;
};

runService({
  name: 'ingest',
  version,
  settings: config,
  async start({ log, health, metrics }) {
    const service = 'ingest';
    const store = await connectStore({
      uri: config.MONGODB_URI,
      database: config.MONGODB_DATABASE,
      service,
      log,
      metrics: storageMetrics(metrics),
    });
    const broker = await connectBroker({ url: config.AMQP_URL, service, log });
    const running = await startIngestService({
      broker,
      store,
      log,
      idSecret: config.ID_SECRET,
      basePath: config.PUBLIC_BASE_PATH,
      sendAgainAfterMs: config.SEND_AGAIN_AFTER_MS,
    });
    health.addCheck('database', () => store.ping());
    health.addCheck('broker', () => broker.state === 'up');
    return {
      stop: () =>
        stopInOrder(log, [
          { name: 'work', timeoutMs: 9_000, stop: () => running.stop() },
          { name: 'broker', timeoutMs: 2_000, stop: () => broker.close({ graceMs: 1_000 }) },
          { name: 'store', timeoutMs: 1_000, stop: () => store.close() },
        ]),
    };
  },
});
