import { runService } from '@receipts/host';
import { readConfig } from './config';
import { startService } from './service';

const config = readConfig();

runService({
  name: 'ingest',
  mainFolder: __dirname,
  settings: config,
  database: true,
  start: ({ database, broker, log }) =>
    startService({
      broker,
      database,
      log,
      idSecret: config.ID_SECRET,
      basePath: config.PUBLIC_BASE_PATH,
      conversionRetryMs: config.CONVERSION_RETRY_MS,
    }),
});
