import { runService, stopInOrder } from '@receipts/host';
import { connectBroker } from '@receipts/messaging';
import { connectStore } from '@receipts/storage';
import { version } from '../package.json';
import { readConfig } from './config';
import { startIdentifierService } from './service';

const config = readConfig();

runService({
  name: 'identifier',
  version,
  settings: config,
  async start({ log, health }) {
    const service = 'identifier';
    const store = await connectStore({
      uri: config.MONGODB_URI,
      database: config.MONGODB_DATABASE,
      service,
      log,
    });
    const broker = await connectBroker({ url: config.AMQP_URL, service, log });
    const { relay } = await startIdentifierService({ broker, store, log });
    health.addCheck('database', () => store.ping());
    health.addCheck('broker', () => broker.state === 'up');
    return {
      stop: () =>
        stopInOrder(log, [
          { name: 'relay', timeoutMs: 3_000, stop: () => relay.stop() },
          { name: 'broker', timeoutMs: 9_000, stop: () => broker.close({ graceMs: 8_000 }) },
          { name: 'store', timeoutMs: 2_000, stop: () => store.close() },
        ]),
    };
  },
});
