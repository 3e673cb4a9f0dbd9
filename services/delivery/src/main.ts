import { runService, sealer } from '@receipts/host';
import type { Broker } from '@receipts/messaging';
import { configuredMailer } from './sending/channels/email';
import { readConfig } from './config';
import { countedPost, countersIn } from './delivery-counters';
import { logoFetcher } from './rendering/images/fetch-logo';
import { uploadedLogos } from './rendering/images/uploaded-logos';
import { addressGuard } from './outgoing/address-guard';
import { startService } from './service';
import { webhookPoster } from './webhooks/http/post-webhook';
import { hostResolver } from './outgoing/resolve-host';
import { tracedPost } from './webhooks/http/traced-post';

const config = readConfig();

runService({
  name: 'delivery',
  mainFolder: __dirname,
  settings: config,
  database: true,
  async start({ database, broker, log, metrics, tracing }) {
    const counters = countersIn(metrics);
    const mailer = configuredMailer(config);
    if (!mailer) log.warn('no mail server is configured: set SMTP_URL to send e-mail');
    const target = {
      allowHttp: config.WEBHOOK_ALLOW_HTTP,
      guard: addressGuard(config.WEBHOOK_ALLOW_NETWORKS?.split(',') ?? []),
    };
    const resolve = hostResolver();
    const ask: Broker['ask'] = (contract, input, call) => broker.ask(contract, input, call);
    const service = await startService({
      broker,
      database,
      log,
      mailer,
      counters,
      retriesUnconfirmed: config.RETRY_UNCONFIRMED_DELIVERIES,
      mailFrom: config.MAIL_FROM,
      alertPauses: {
        delayMs: config.ALERT_DELAY_SECONDS * 1_000,
        intervalMs: config.ALERT_INTERVAL_SECONDS * 1_000,
      },
      accounts: config.CHANNEL_ACCOUNTS,
      idSecret: config.ID_SECRET,
      publicUrl: config.PUBLIC_URL,
      wallets: { apple: config.APPLE_WALLET, google: config.GOOGLE_WALLET },
      sealer: sealer(config.MASTER_KEY),
      findLogo: logoFetcher({
        guard: target.guard,
        resolve,
        uploaded: uploadedLogos(ask, config.PUBLIC_URL),
      }),
      webhooks: {
        target,
        retrySeconds: config.WEBHOOK_RETRY_SECONDS.split(',').map(Number),
        post: countedPost(tracedPost(webhookPoster({ ...target, resolve }), tracing), counters),
      },
    });
    return {
      async stop(graceMs) {
        await service.stop(graceMs);
        mailer?.close();
      },
    };
  },
});
