import { consumerMismatch, wording } from '@receipts/kernel';
import { z } from 'zod';
import { timestampField } from '../shared/fields';
import { characters } from '../shared/characters';
import { isKnownEventGlob } from './event-types';
import { disabledReasons } from './events';

const globsMax = 50;
const urlLengthMax = 2048;

/** Rejects URLs that no installation allows. The service checks what depends on its configuration. */
function faultOfUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:\/\//i.test(text)) return 'must be an https address';
  if (url.username !== '' || url.password !== '') return 'must have no user name and no password';
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
    description: 'Where events are posted to. Only https, unless the installation allows http as well.',
    examples: ['https://shop.example/hooks/receipts'],
  });

const eventTypesField = z
  .array(
    z.string().refine(isKnownEventGlob, {
      error: wording.eventType,
      params: { code: 'unknown_event_type' },
    }),
  )
  .min(1)
  .max(globsMax)
  .meta({
    description: 'Types of events, or globs: `*` stands for any characters.',
    examples: [['receipt.*', 'delivery.failed']],
  });

const filterField = characters(1, 4096)
  .nullable()
  .meta({
    description:
      'A query of the search language over receipts. Of events on receipts only those are sent whose receipt meets it; other events are not held against it. An event that carries no receipt is judged by the receipt as it is now, and `receipt.deleted` always passes.',
    examples: ['+total:[100 TO *] -items.return:*'],
  });

export const payloads = ['thin', 'full'] as const;

const payloadField = z.enum(payloads).meta({
  description: '`thin` leaves out the full `receipt` of `receipt.created` and `receipt.updated`.',
});

export const orderings = ['none', 'subject'] as const;

const orderingField = z.enum(orderings).meta({
  description:
    '`none`: each event by itself, as soon as it can be, in any order. `subject`: no event is posted before the earlier events of its subject were delivered or have failed for good; the events of other subjects go on meanwhile. Views of a receipt follow what happened to it before, and hold up later views only.',
});

const descriptionField = characters(0, 255).nullable();

/** The fields that the client chooses. */
const fields = {
  url: urlField,
  description: descriptionField,
  event_types: eventTypesField,
  filter: filterField,
  payload: payloadField,
  ordering: orderingField,
  enabled: z.boolean(),
};

export const postedEndpoint = z.strictObject({
  url: urlField,
  description: descriptionField.optional(),
  event_types: eventTypesField.optional(),
  filter: filterField.optional(),
  payload: payloadField.optional(),
  ordering: orderingField.optional(),
  enabled: z.boolean().optional(),
});
export type PostedWebhookEndpoint = z.output<typeof postedEndpoint>;

/** All modifiable fields. A patch must result in a valid one. */
export const webhookEndpointSettings = z.strictObject(fields);
export type WebhookEndpointSettings = z.output<typeof webhookEndpointSettings>;

/** A subset of the fields, for changes. */
export const endpointChanges = webhookEndpointSettings.partial();

export const endpoint = z.object({
  id: z.string(),
  ...fields,
  url: z.string(),
  event_types: z.array(z.string()),
  filter: z.string().nullable(),
  description: z.string().nullable(),
  disabled_reason: z
    .enum(disabledReasons)
    .nullable()
    .meta({ description: 'Why the platform itself has disabled it; null when it did not.' }),
  failing_since: timestampField.nullable().meta({
    description: 'Since when every attempt has failed; null while it works.',
  }),
  created_timestamp: timestampField,
  updated_timestamp: timestampField,
});
export type WebhookEndpoint = z.output<typeof endpoint>;

export const secretField = z
  .string()
  .nullable()
  .meta({
    description:
      'Standard Webhooks: `whsec_` and the key in base64. Never shown again: null when the answer is a repeated one.',
    examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw8mW6Vn2WJ0I='],
  });

export const endpointParams = z.object({ id: z.string().max(64) });

export const webhookEndpointNotFound = {
  status: 404,
  code: 'not_found',
  description: 'there is no such webhook endpoint',
};
export const tooManyWebhookEndpoints = {
  status: 422,
  code: 'too_many',
  description: 'a retailer has at most 1000 webhook endpoints',
};
/** Events concern all consumers of a retailer. */
export const consumerNotAllowed = {
  ...consumerMismatch,
  description: 'a client or signature that is confined to consumers cannot be used here',
};
