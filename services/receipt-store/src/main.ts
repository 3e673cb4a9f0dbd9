import { runDatabaseService } from '@receipts/service';
import { readConfig } from './config';
import { startService } from './service';

const config = readConfig();

runDatabaseService({
  name: 'receipt-store',
  mainFolder: __dirname,
  settings: config,
  async start({ database, broker }, { log, health }) {
    const service = await startService({
      broker,
      database,
      log,
      idSecret: config.ID_SECRET,
      publicUrl: config.PUBLIC_URL,
      receiptBytesMax: config.MAX_BODY_BYTES,
    });
    health.addCheck('directories', () => service.isReady());
    return service;
  },
});
