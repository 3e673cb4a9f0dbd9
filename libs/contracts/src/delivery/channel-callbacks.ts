import { bytes, defineCommand, defineQuery, formType, rawOutput } from '@receipts/kernel';
import { z } from 'zod';
import { text } from '../shared/query-parameters';

/** Providers send several callbacks per message, from few addresses. */
const callbackRate = { requests: 6_000, perSeconds: 60 } as const;

const params = z.object({
  account: text({
    max: 40,
    description: 'The name of the provider account, as set in the configuration.',
    example: 'messages',
  }),
});
const path = '/channels/{account}/callbacks';

export const channelAccountNotFound = {
  status: 404,
  code: 'not_found',
  description: 'account not found',
} as const;
export const callbackNotSigned = {
  status: 403,
  code: 'invalid_signature',
  description: "the request is not signed by the account's provider",
} as const;
export const malformedCallback = {
  status: 400,
  code: 'malformed_body',
  description: "the body is not in the format of the account's provider",
} as const;

/**
 * Receives the outcome of a message, which only the provider knows and which it reports later. Reports take minutes
 * when networks are busy.
 */
export const receiveChannelReport = defineCommand({
  name: 'delivery.receive-channel-report',
  summary: 'Receive a status callback from a messaging provider',
  description:
    'Called by the provider of SMS or WhatsApp messages to report the outcome of a message. The request must be signed by the provider, in ' +
    '`X-Twilio-Signature` or `X-Hub-Signature-256`. It is idempotent. Reports on unknown messages are accepted and ignored.',
  http: { method: 'POST', path, access: 'public', success: 200, rate: callbackRate },
  params,
  query: z.object({
    ref: text({
      max: 100,
      description: 'The id of the message, which the platform added to the callback URL.',
      example: '6a1f3c2b9d4e5f60718293a4',
    }).optional(),
  }),
  headers: z.object({
    'x-twilio-signature': text({
      description: 'The signature of Twilio: HMAC-SHA1 over the URL and the fields, in base64.',
      example: 'RSOYDt4T1cUTdK1PDd93/VVr8B8=',
    }).optional(),
    'x-hub-signature-256': text({
      description:
        'The signature of Meta: `sha256=` and the HMAC-SHA256 over the body, in hexadecimal digits.',
      example: 'sha256=7d38cdd689735b008b3c702edd92eea23791c5f6',
    }).optional(),
  }),
  body: bytes('body', [formType, 'application/json']),
  errors: [channelAccountNotFound, callbackNotSigned, malformedCallback],
});

/** Some providers verify the address before they send callbacks. */
export const confirmChannelCallback = defineQuery({
  name: 'delivery.confirm-channel-callback',
  summary: 'Verify the callback URL for a provider',
  description:
    'Responds to the verification request of the WhatsApp Cloud API with its challenge, if the verify token is correct.',
  http: { method: 'GET', path, access: 'public', success: 200, produces: ['text/plain'], rate: callbackRate },
  params,
  query: z.object({
    'hub.mode': text({
      max: 20,
      description: 'The kind of request, always `subscribe`.',
      example: 'subscribe',
    }).optional(),
    'hub.verify_token': text({
      max: 200,
      description: 'The verify token that was entered in the settings of the app.',
      example: 'word',
    }).optional(),
    'hub.challenge': text({
      max: 200,
      description: 'The text that the response must contain.',
      example: '1158201444',
    }).optional(),
  }),
  output: rawOutput,
  meta: z.object({ contentType: z.string() }),
  errors: [channelAccountNotFound, callbackNotSigned],
});
