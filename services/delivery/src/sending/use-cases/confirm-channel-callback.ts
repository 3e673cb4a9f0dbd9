import { callbackNotSigned, channelAccountNotFound } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import type { HandlerOf } from '../../handler-of';
import type { ProviderAccounts } from '../channels/accounts';

/** Responds to a provider's check of the callback URL. */
export function confirmChannelCallback(parts: {
  readonly accounts: ProviderAccounts;
}): HandlerOf<'confirmChannelCallback'> {
  return ({ params, query }) => {
    const account = parts.accounts.get(params.account);
    if (!account) throw new ServiceError(channelAccountNotFound);
    const answer = account.answerTo(query);
    if (answer === undefined) throw new ServiceError(callbackNotSigned);
    return Promise.resolve({ body: Buffer.from(answer), meta: { contentType: 'text/plain; charset=utf-8' } });
  };
}
