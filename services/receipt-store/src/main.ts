import { runService } from '@receipts/host';
import { readConfig } from './config';
import { startService } from './service';

const config = readConfig();

runService({
  name: 'receipt-store',
  mainFolder: __dirname,
  settings: config,
  database: true,
  async start({ database, broker, log }) {
    const service = await startService({
      broker,
      database,
      log,
      idSecret: config.ID_SECRET,
      publicUrl: config.PUBLIC_URL,
      receiptBytesMax: config.MAX_BODY_BYTES,
    });
    return { ...service, checks: { directories: () => service.isReady() } };
  },
});
