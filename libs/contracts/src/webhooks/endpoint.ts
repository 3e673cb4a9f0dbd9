import { wording } from '@receipts/kernel';
import { z } from 'zod';
import { timestampField } from '../shared/fields';
import { characters } from '../shared/characters';
import { isKnownEventGlob } from './event-types';
import { disabledReasons } from './events';

const globsMax = 50;
const urlLengthMax = 2048;

/** Rejects URLs that are never allowed. The service checks what depends on its configuration. */
function faultOfUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:\/\//i.test(text)) return 'must be an https address';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (url.hash !== '' || text.includes('#')) return 'must have no fragment';
  return undefined;
}

const urlField = characters(1, urlLengthMax)
  .superRefine((text, ctx) => {
    const message = faultOfUrl(text);
    if (message !== undefined) ctx.addIssue({ code: 'custom', message, params: { code: 'invalid_url' } });
  })
  .meta({
    maxLength: urlLengthMax,
    format: 'uri',
    description:
      'The URL that receives events by POST. It must use https unless the installation allows http.',
    examples: ['https://shop.example/hooks/receipts'],
  });

export const payloads = ['thin', 'full'] as const;
export const orderings = ['none', 'subject'] as const;

/** The fields that the client chooses. */
const fields = {
  url: urlField,
  description: characters(0, 255)
    .nullable()
    .meta({ maxLength: 255, description: 'Your own note about the endpoint.' }),
  event_types: z
    .array(
      z.string().refine(isKnownEventGlob, {
        error: wording.eventType,
        params: { code: 'unknown_event_type' },
      }),
    )
    .min(1)
    .max(globsMax)
    .meta({
      description: 'Event types to send, or globs in which `*` matches any characters.',
      examples: [['receipt.*', 'delivery.failed']],
    }),
  filter: characters(1, 4096)
    .nullable()
    .meta({
      description:
        "A query in the search language. Receipt events are sent only if their receipt matches it; other events are not filtered. An event that does not contain the receipt is matched against the receipt's current state. `receipt.deleted` is always sent.",
      examples: ['+total:[100 TO *] -items.return:*'],
    }),
  payload: z.enum(payloads).meta({
    description:
      '`thin` omits the full `receipt` from `receipt.created` and `receipt.updated`; `full` includes it.',
  }),
  ordering: z.enum(orderings).meta({
    description:
      '`none` sends each event as soon as possible, in any order. `subject` sends an event only after all earlier events of its subject have been delivered or have failed permanently; other subjects are not delayed. An event about a view of a receipt waits for earlier events of that receipt, but delays only later view events.',
  }),
  enabled: z.boolean().meta({
    description:
      '`false` stops deliveries. Events that occur in the meantime can be sent later with `_recover`.',
  }),
};

/** All modifiable fields. A patch must result in a valid endpoint. */
export const webhookEndpointSettings = z.strictObject(fields);
export type WebhookEndpointSettings = z.output<typeof webhookEndpointSettings>;

/** A subset of the fields, for changes. */
export const endpointChanges = webhookEndpointSettings.partial();

export const postedEndpoint = endpointChanges.extend({ url: urlField });
export type PostedWebhookEndpoint = z.output<typeof postedEndpoint>;

export const endpoint = z.object({
  id: z.string().meta({ description: 'The id of the endpoint.' }),
  ...fields,
  url: z.string().meta({ description: 'The URL that receives events by POST.' }),
  event_types: z.array(z.string()).meta({ description: 'The event types or globs that are sent.' }),
  filter: z
    .string()
    .nullable()
    .meta({ description: 'The query that receipts must match; `null` if there is none.' }),
  description: z.string().nullable().meta({ description: 'Your own note about the endpoint.' }),
  disabled_reason: z
    .enum(disabledReasons)
    .nullable()
    .meta({ description: 'Why the platform has disabled the endpoint; `null` if it has not.' }),
  failing_since: timestampField.nullable().meta({
    description: 'The time since which every attempt has failed; `null` while attempts succeed.',
  }),
  created_timestamp: timestampField.meta({ description: 'When the endpoint was created.' }),
  updated_timestamp: timestampField.meta({ description: 'When the endpoint last changed.' }),
});
export type WebhookEndpoint = z.output<typeof endpoint>;

export const secretField = z
  .string()
  .nullable()
  .meta({
    description:
      'The signing secret (Standard Webhooks): `whsec_` and the key in base64. It is shown only once; `null` in the response to a retry.',
    examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw8mW6Vn2WJ0I='],
  });

export const endpointParams = z.object({
  id: z
    .string()
    .max(64)
    .meta({ description: 'The id of the webhook endpoint.', examples: ['6a1f3c2b9d4e5f60718293a4'] }),
});

export const webhookEndpointNotFound = {
  status: 404,
  code: 'not_found',
  description: 'webhook endpoint not found',
};
export const tooManyWebhookEndpoints = {
  status: 422,
  code: 'too_many',
  description: 'a retailer can have at most 1000 webhook endpoints',
};
