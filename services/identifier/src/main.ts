import { runService } from '@receipts/host';
import { readConfig } from './config';
import { startService } from './service';
import { validationProvider } from './validation/validation-provider';

const config = readConfig();

runService({
  name: 'identifier',
  mainFolder: __dirname,
  settings: config,
  database: true,
  start: ({ database, broker, log }) =>
    startService({
      broker,
      database,
      log,
      provider: validationProvider(config, log),
      secrets: config.MASTER_KEY.split(',') as [string, ...string[]],
    }),
});
