import type { Portal } from '../open-portal';
import { portalWebhook, portalWebhookForm } from './webhook';
import { portalWebhooks } from './webhooks';

/** The pages and forms for webhooks. */
export const portalWebhookHandlers = (deps: Portal) => ({
  portalWebhooks: portalWebhooks(deps),
  portalWebhook: portalWebhook(deps),
  portalWebhookForm: portalWebhookForm(deps),
});
