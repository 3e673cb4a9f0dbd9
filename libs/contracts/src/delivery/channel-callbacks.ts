import { bytes, defineCommand, defineQuery, formType, rawOutput, text } from '@receipts/kernel';
import { z } from 'zod';

/** Providers send several call-backs per message, from few addresses. */
const callbackRate = { requests: 6_000, perSeconds: 60 } as const;

const params = z.object({
  account: text({ max: 40, description: 'The name that the installation has given to the account.' }),
});
const path = '/channels/{account}/callbacks';

export const channelAccountNotFound = {
  status: 404,
  code: 'not_found',
  description: 'there is no such account',
} as const;
export const callbackNotSigned = {
  status: 403,
  code: 'invalid_signature',
  description: 'this was not signed by the provider of the account',
} as const;
export const malformedCallback = {
  status: 400,
  code: 'malformed_body',
  description: 'this is not what the provider of the account sends',
} as const;

/**
 * Receives the outcome of a message, which only its provider knows and reports later. Reports take minutes when
 * networks are busy.
 */
export const receiveChannelReport = defineCommand({
  name: 'delivery.receive-channel-report',
  summary: 'Take a status call-back of a provider of messages',
  description:
    'Called by the provider of SMS or WhatsApp messages whose account it names, and signed as that provider signs: ' +
    '`X-Twilio-Signature`, or `X-Hub-Signature-256`. Repeating it changes nothing; reports on messages that nobody knows are taken and let go.',
  http: { method: 'POST', path, access: 'public', success: 200, rate: callbackRate },
  params,
  query: z.object({ ref: text({ max: 100, description: 'Names the message.' }).optional() }),
  headers: z.object({
    'x-twilio-signature': text({ description: 'HMAC-SHA1 over address and fields.' }).optional(),
    'x-hub-signature-256': text({ description: 'HMAC-SHA256 over the body.' }).optional(),
  }),
  body: bytes('body', [formType, 'application/json']),
  errors: [channelAccountNotFound, callbackNotSigned, malformedCallback],
});

/** Some providers verify the address before they send call-backs. */
export const confirmChannelCallback = defineQuery({
  name: 'delivery.confirm-channel-callback',
  summary: 'Confirm the address of call-backs to a provider',
  description: 'The challenge of the WhatsApp Cloud API, given back to whoever knows the verify token.',
  http: { method: 'GET', path, access: 'public', success: 200, produces: ['text/plain'], rate: callbackRate },
  params,
  query: z.object({
    'hub.mode': text({ max: 20, description: '`subscribe`.' }).optional(),
    'hub.verify_token': text({ max: 200, description: 'What was entered in the app.' }).optional(),
    'hub.challenge': text({ max: 200, description: 'What is answered.' }).optional(),
  }),
  output: rawOutput,
  meta: z.object({ contentType: z.string() }),
  errors: [channelAccountNotFound, callbackNotSigned],
});
