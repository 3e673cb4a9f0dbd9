import { createHmac } from 'node:crypto';
import { callbackNotSigned, malformedCallback } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { z } from 'zod';
import { ChannelFault, type FaultReason, type ProviderAccount, type ProviderOptions } from './channel';
import { isSame, jsonOf, postToProvider, refusalReason, reportsOf, type ProviderCodes } from './provider-api';

/**
 * The WhatsApp Cloud API. Messages that the business initiates need an approved template: its body has three parameters,
 * the name of the shop, the total, and the URL of the receipt.
 */
export const whatsappAccount = z.strictObject({
  kind: z.literal('whatsapp-cloud'),
  access_token: z.string().min(1),
  /** The key of callback signatures. */
  app_secret: z.string().min(1),
  verify_token: z.string().min(1),
  /** The id of the sending number in the API. The retailer's setting takes precedence. */
  phone_number_id: z
    .string()
    .regex(/^\d{1,32}$/)
    .nullable()
    .default(null),
  template: z
    .string()
    .regex(/^[a-z0-9_]{1,512}$/)
    .default('receipt'),
  /** The languages in which the template was approved; the first is the default. */
  languages: z
    .array(z.string().regex(/^[a-z]{2,3}(_[A-Z]{2})?$/))
    .min(1)
    .default(['en']),
  url: z.url().default('https://graph.facebook.com/v23.0'),
});

export type WhatsappAccount = z.output<typeof whatsappAccount>;

const ok = 200;

/** Contains the error codes of the Cloud API ("Error codes") that are more specific than the status. */
const codes: ProviderCodes = {
  reasons: new Map([
    [4, 'rate_limited'],
    [80_007, 'rate_limited'],
    [130_429, 'rate_limited'],
    [131_048, 'rate_limited'],
    [131_056, 'rate_limited'],
    [131_021, 'invalid_address'],
    [131_026, 'invalid_address'],
    [131_050, 'opted_out'],
    // Temporary failures, or failures that the account's owner can fix: outages, tokens and permissions, payments.
    ...[0, 1, 2, 3, 10, 190, 131_000, 131_005, 131_016, 131_042, 131_057, 133_004].map(
      (code): [number, FaultReason] => [code, 'not_delivered'],
    ),
  ]),
  states: new Map([
    ['sent', 'sent'],
    ['delivered', 'delivered'],
    ['read', 'delivered'],
    ['failed', 'failed'],
  ]),
};

const callbackBody = z.object({
  entry: z.array(
    z.object({
      changes: z.array(
        z.object({
          value: z.object({
            statuses: z
              .array(
                z.object({
                  status: z.string(),
                  biz_opaque_callback_data: z.string().optional(),
                  errors: z.array(z.object({ code: z.number() })).optional(),
                }),
              )
              .optional(),
          }),
        }),
      ),
    }),
  ),
});

export function whatsappCloud(account: WhatsappAccount, { refs, now }: ProviderOptions): ProviderAccount {
  const { access_token: accessToken, app_secret: appSecret, languages, url } = account;
  const languageFor = (wanted: string) =>
    languages.find((one) => one.split('_')[0] === wanted) ?? languages[0];
  return {
    channel: 'whatsapp',
    hasSender: ({ channels }) => (channels.whatsapp.from ?? account.phone_number_id) !== null,
    async send({ id, to, view, page, settings }) {
      const from = settings.channels.whatsapp.from ?? account.phone_number_id ?? '';
      const parameters = [view.brand.name, view.total.amount, page].map((text) => ({ type: 'text', text }));
      const message = {
        messaging_product: 'whatsapp',
        recipient_type: 'individual',
        to,
        type: 'template',
        template: {
          name: account.template,
          language: { code: languageFor(view.labelLanguage) },
          components: [{ type: 'body', parameters }],
        },
        // Returned in each callback about the message.
        biz_opaque_callback_data: refs.seal(id),
      };
      const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' };
      const { status, body, retryAfterMs } = await postToProvider(
        `${url}/${encodeURIComponent(from)}/messages`,
        { headers, body: JSON.stringify(message) },
        now(),
      );
      if (status === ok) return;
      const { error } = (body ?? {}) as { error?: { code?: unknown } };
      throw new ChannelFault(refusalReason(codes, status, error?.code), retryAfterMs);
    },
    readCallback({ headers, body }) {
      const signature = `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`;
      if (!isSame(signature, headers['x-hub-signature-256'])) throw new ServiceError(callbackNotSigned);
      const statuses = statusesOf(body);
      return statuses.flatMap(({ status, biz_opaque_callback_data: ref, errors }) =>
        reportsOf(codes, { deliveryId: refs.open(ref), status, code: errors?.[0]?.code }),
      );
    },
    answerTo: (challenge) =>
      challenge['hub.mode'] === 'subscribe' && isSame(account.verify_token, challenge['hub.verify_token'])
        ? challenge['hub.challenge']
        : undefined,
  };
}

function statusesOf(body: Buffer) {
  const parsed = callbackBody.safeParse(jsonOf(body));
  if (!parsed.success) throw new ServiceError(malformedCallback);
  return parsed.data.entry.flatMap(({ changes }) => changes.flatMap(({ value }) => value.statuses ?? []));
}
