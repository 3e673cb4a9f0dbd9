import { runOwner, sealer } from '@receipts/host';
import { connectBroker, integratorAccess } from '@receipts/messaging';
import { connectDatabase } from '@receipts/storage';
import { readConfig } from './config';
import { startService } from './service';

const config = readConfig();

runOwner({
  name: 'admin',
  mainFolder: __dirname,
  settings: config,
  connectDatabase,
  connectBroker,
  start: ({ store, broker }, { log }) =>
    startService({
      broker,
      store,
      log,
      sealer: sealer(config.MASTER_KEY),
      publicUrl: config.PUBLIC_URL,
      access:
        config.BROKER_MANAGEMENT_URL === undefined
          ? undefined
          : integratorAccess({
              managementUrl: config.BROKER_MANAGEMENT_URL,
              amqpUrl: config.AMQP_URL,
              publicUrl: config.AMQP_PUBLIC_URL,
              platform: config.PLATFORM,
              queueBytesMax: config.SUBSCRIPTION_BYTES_MAX,
            }),
    }),
});
