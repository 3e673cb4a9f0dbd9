import path from 'node:path';
import { runService, stopInOrder } from '@receipts/host';
import { connectBroker } from '@receipts/messaging';
import { connectStore } from '@receipts/storage';
import { fileSender, smtpSender } from './channels/email';
import { readConfig } from './config';
import { startDeliveryService } from './service';

const name = 'delivery';
const config = readConfig();

runService({
  name,
  version: '0.1.0',
  settings: config,
  async start({ log, health }) {
    const store = await connectStore({
      uri: config.MONGODB_URI,
      database: config.MONGODB_DATABASE,
      service: name,
      log,
    });
    const broker = await connectBroker({ url: config.AMQP_URL, service: name, log });
    const sendMail =
      config.SMTP_URL === undefined
        ? fileSender(path.join(config.DATA_DIR, 'mail'))
        : smtpSender(config.SMTP_URL);
    const service = await startDeliveryService({ broker, store, log, sendMail, mailFrom: config.MAIL_FROM });
    health.addCheck('database', () => store.ping());
    health.addCheck('broker', () => broker.state === 'up');
    return {
      stop: () =>
        stopInOrder(log, [
          { name: 'service', timeoutMs: 9_000, stop: () => service.stop() },
          { name: 'broker', timeoutMs: 2_000, stop: () => broker.close({ graceMs: 1_000 }) },
          { name: 'store', timeoutMs: 1_000, stop: () => store.close() },
        ]),
    };
  },
});
