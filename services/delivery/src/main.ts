import path from 'node:path';
import { runOwner } from '@receipts/host';
import { connectBroker } from '@receipts/messaging';
import { connectStore } from '@receipts/storage';
import { fileMailer, smtpMailer } from './channels/email';
import { readConfig } from './config';
import { startDeliveryService } from './service';

const config = readConfig();

runOwner({
  name: 'delivery',
  mainFolder: __dirname,
  settings: config,
  connectStore,
  connectBroker,
  async start({ store, broker }, { log }) {
    const mailer =
      config.SMTP_URL === undefined
        ? fileMailer(path.join(config.DATA_DIR, 'mail'))
        : smtpMailer(config.SMTP_URL);
    const service = await startDeliveryService({
      broker,
      store,
      log,
      mailer,
      mailFrom: config.MAIL_FROM,
      idSecret: config.ID_SECRET,
      publicUrl: config.PUBLIC_URL,
    });
    return {
      async stop() {
        await service.stop();
        mailer.close();
      },
    };
  },
});
