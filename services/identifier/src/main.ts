import { runService, stopInOrder } from '@receipts/host';
import { connectBroker } from '@receipts/messaging';
import { connectStore } from '@receipts/storage';
import { readConfig } from './config';
import { startIdentifierService } from './service';

const name = 'identifier';
const config = readConfig();

runService({
  name,
  version: '0.1.0',
  settings: config,
  async start({ log, health }) {
    const store = await connectStore({
      uri: config.MONGODB_URI,
      database: config.MONGODB_DATABASE,
      service: name,
      log,
    });
    const broker = await connectBroker({ url: config.AMQP_URL, service: name, log });
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
