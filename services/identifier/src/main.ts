import { runOwner } from '@receipts/host';
import { connectBroker } from '@receipts/messaging';
import { connectDatabase } from '@receipts/storage';
import { readConfig } from './config';
import { startService } from './service';
import { validationProvider } from './validation/validation-provider';

const config = readConfig();

runOwner({
  name: 'identifier',
  mainFolder: __dirname,
  settings: config,
  connectDatabase,
  connectBroker,
  start: ({ database, broker }, { log }) =>
    startService({
      broker,
      database,
      log,
      provider: validationProvider(config, log),
      secrets: config.MASTER_KEY.split(',') as [string, ...string[]],
    }),
});
