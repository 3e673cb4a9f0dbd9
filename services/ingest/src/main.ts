import { runService } from '@receipts/host';
import { readConfig } from './config';
import { startService } from './service';

const config = readConfig();

runService({
  name: 'ingest',
  mainFolder: __dirname,
  settings: config,
  database: true,
  start({ database, broker, log, metrics }) {
    const packets = metrics.counter({
      name: 'packets_total',
      help: 'Packets by outcome.',
      labels: ['outcome'],
    });
    return startService({
      broker,
      database,
      log,
      idSecret: config.ID_SECRET,
      basePath: config.PUBLIC_BASE_PATH,
      conversionRetryMs: config.CONVERSION_RETRY_MS,
      countOutcome: (outcome) => packets.inc({ outcome }),
    });
  },
});
