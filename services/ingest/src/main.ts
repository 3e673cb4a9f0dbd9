import { runOwner } from '@receipts/host';
import { connectBroker } from '@receipts/messaging';
import { connectDatabase } from '@receipts/storage';
import { readConfig } from './config';
import { startService } from './service';

const config = readConfig();

runOwner({
  name: 'ingest',
  mainFolder: __dirname,
  settings: config,
  connectDatabase,
  connectBroker,
  start: ({ database, broker }, { log }) =>
    startService({
      broker,
      database,
      log,
      idSecret: config.ID_SECRET,
      basePath: config.PUBLIC_BASE_PATH,
      sendAgainAfterMs: config.SEND_AGAIN_AFTER_MS,
    }),
});
