import { runOwner } from '@receipts/host';
import { connectBroker } from '@receipts/messaging';
import { connectDatabase } from '@receipts/storage';
import { readConfig } from './config';
import { startService } from './service';

const config = readConfig();

runOwner({
  name: 'receipt-store',
  mainFolder: __dirname,
  settings: config,
  connectDatabase,
  connectBroker,
  async start({ database, broker }, { log, health }) {
    const service = await startService({
      broker,
      database,
      log,
      idSecret: config.ID_SECRET,
      publicUrl: config.PUBLIC_URL,
    });
    health.addCheck('directories', () => service.isReady());
    return service;
  },
});
