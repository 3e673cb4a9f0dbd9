import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runService, sealer, stopInOrder } from '@receipts/host';
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
  async start({ log, health }) {
    const service = 'admin';
    const store = await connectStore({
      uri: config.MONGODB_URI,
      database: config.MONGODB_DATABASE,
      service,
      log,
    });
    const broker = await connectBroker({ url: config.AMQP_URL, service, log });
    const admin = await startAdminService({ broker, store, sealer: sealer(config.MASTER_KEY), log });
    health.addCheck('database', () => store.ping());
    health.addCheck('broker', () => broker.state === 'up');
    return {
      stop: () =>
        stopInOrder(log, [
          { name: 'relays', timeoutMs: 3_000, stop: () => admin.stopRelays() },
          { name: 'broker', timeoutMs: 9_000, stop: () => broker.close({ graceMs: 8_000 }) },
          { name: 'store', timeoutMs: 2_000, stop: () => store.close() },
        ]),
    };
  },
});
