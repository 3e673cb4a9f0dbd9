import { createHmac } from 'node:crypto';
import { callbackNotSigned } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { z } from 'zod';
import { shortTextOf } from '../../rendering/mail/short-text';
import { ChannelFault, type ProviderAccount, type ProviderOptions } from './channel';
import { isSame, postToProvider, refusalReason, reportsOf, type ProviderCodes } from './provider-api';

/** SMS through the Messages resource of Twilio's REST API, or of a compatible provider. */
export const twilioAccount = z.strictObject({
  kind: z.literal('twilio'),
  account_sid: z.string().regex(/^AC[0-9a-f]{32}$/),
  auth_token: z.string().min(1),
  /** A number, a sender name, or the id of a messaging service. The retailer's setting takes precedence. */
  from: z.string().min(1).nullable().default(null),
  url: z.url().default('https://api.twilio.com'),
});

export type TwilioAccount = z.output<typeof twilioAccount>;

const created = 201;

/** The error codes are those of https://www.twilio.com/docs/api/errors. */
const codes: ProviderCodes = {
  reasons: new Map([
    [20_429, 'rate_limited'],
    [14_107, 'rate_limited'],
    [21_211, 'invalid_address'],
    [21_217, 'invalid_address'],
    [21_401, 'invalid_address'],
    [21_421, 'invalid_address'],
    [21_614, 'invalid_address'],
    [30_005, 'invalid_address'],
    [30_006, 'invalid_address'],
    [21_610, 'opted_out'],
  ]),
  states: new Map([
    ['sent', 'sent'],
    ['delivered', 'delivered'],
    ['read', 'delivered'],
    ['undelivered', 'failed'],
    ['failed', 'failed'],
    ['canceled', 'failed'],
  ]),
};

export function twilio(account: TwilioAccount, { refs, callbackUrl, now }: ProviderOptions): ProviderAccount {
  const { account_sid: sid, auth_token: token, url } = account;
  const messages = `${url}/2010-04-01/Accounts/${sid}/Messages.json`;
  const authorization = `Basic ${Buffer.from(`${sid}:${token}`).toString('base64')}`;
  const callbackFor = (ref: string) => `${callbackUrl}?ref=${encodeURIComponent(ref)}`;
  return {
    channel: 'sms',
    hasSender: ({ channels }) => (channels.sms.from ?? account.from) !== null,
    async send({ id, to, view, page, settings }) {
      const from = settings.channels.sms.from ?? account.from ?? '';
      const form = new URLSearchParams({
        To: to,
        Body: shortTextOf(view, page),
        [/^MG[0-9a-f]{32}$/.test(from) ? 'MessagingServiceSid' : 'From']: from,
        StatusCallback: callbackFor(refs.seal(id)),
      });
      const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' };
      const { status, body, retryAfterMs } = await postToProvider(
        messages,
        { headers, body: form.toString() },
        now(),
      );
      if (status === created) return;
      throw new ChannelFault(
        refusalReason(codes, status, (body as { code?: unknown } | undefined)?.code),
        retryAfterMs,
      );
    },
    readCallback({ query: { ref = '' }, headers, body }) {
      const fields = [...new URLSearchParams(body.toString('utf8'))];
      const byName = fields.toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)));
      const signed = callbackFor(ref) + byName.map((pair) => pair.join('')).join('');
      const signature = createHmac('sha1', token).update(signed).digest('base64');
      if (!isSame(signature, headers['x-twilio-signature'])) throw new ServiceError(callbackNotSigned);
      const { MessageStatus: status = '', ErrorCode: code } = Object.fromEntries(fields);
      return reportsOf(codes, { deliveryId: refs.open(ref), status, code });
    },
    answerTo: () => undefined,
  };
}
