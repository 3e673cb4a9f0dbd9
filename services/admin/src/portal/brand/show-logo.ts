import { logoNotFound } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf, Portal } from '../open-portal';

/** Returns an uploaded logo to pages of receipts, and to the service that writes e-mails and PDFs. */
export const showLogo =
  ({ logos }: Pick<Portal, 'logos'>): HandlerOf<'showLogo'> =>
  async ({ params }, call) => {
    const logo = await logos.find(params.id, deadlineSignal(call));
    if (!logo) throw new ServiceError(logoNotFound);
    return { body: Buffer.from(logo.bytes.buffer), meta: { contentType: logo.type } };
  };
