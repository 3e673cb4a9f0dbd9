import { wording } from '@receipts/kernel';
import { z } from 'zod';
import { characters } from '../shared/characters';
import { mailAddressOf } from '../shared/addresses';
import { currencyField, canonicalLocaleField, timeZoneField } from '../shared/fields';
import { brandSettings } from './brand-settings';
import { permissionsField } from './permissions';
import { portalStoresField } from './portal-stores';
import { part } from './settings-part';

const mailAddress = z
  .string()
  .refine((text) => mailAddressOf(text) !== undefined, { error: wording.email })
  .meta({ maxLength: 254 });

/** As browsers send it: in lower case, without a path and without the default port (RFC 6454). */
const origin = z
  .string()
  .max(2048)
  .refine((text) => /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text, {
    error: 'must be an origin such as https://shop.example, without a path',
  });

const uniqueBy = <T>(keyOf: (item: T) => unknown) =>
  [
    (list: readonly T[]) => new Set(list.map(keyOf)).size === list.length,
    { error: 'must not contain duplicates', params: { code: 'not_unique' } },
  ] as const;

const account = z
  .string()
  .regex(/^[a-z0-9-]{1,40}$/)
  .nullable()
  .default(null)
  .describe(
    'The name of the messaging provider account, as set in the configuration; `null` uses the first account of this channel.',
  );
const sender = characters(1, 34)
  .nullable()
  .default(null)
  .describe(
    'The sender: for SMS, a number, a name or a messaging service; for WhatsApp, the id of a number. `null` uses the sender of the account.',
  );

const dynamicFields = (description: string) =>
  z
    .record(
      z.string().regex(/^(?!__proto__$)[A-Za-z0-9_]{1,64}$/),
      z.enum(['exact', 'partial', 'integer', 'float', 'date']),
    )
    .default({})
    .describe(description);

const loyaltyProgramme = z.strictObject({
  id: z.int().min(1).describe('The id of the programme, unique per retailer.'),
  name: characters(1, 100).describe('The name of the programme.'),
  rule: z
    .strictObject({
      spend: z.number().positive().describe('The amount that a consumer must spend to earn one reward.'),
      value: z.number().min(0).describe('The value of one reward.'),
      name: characters(1, 100).describe('The name shown on rewards, such as `5 off`.'),
    })
    .describe("When a reward is issued: whenever a consumer's receipt total reaches a multiple of `spend`."),
});

/** The fields that searches and the filters of webhook endpoints may use in addition to the receipt's own. */
export const dynamicFieldsSettings = part({
  receipt: dynamicFields('The searchable fields in `dynamic` of receipts, with their types.'),
  item: dynamicFields('The searchable fields in `dynamic` of items, with their types.'),
});

const storeSettings = part({
  from_receipt: z
    .boolean()
    .default(false)
    .describe('Whether receipts may create and update stores through their `store` field.'),
  require_known: z.boolean().default(false).describe('Whether receipts from unknown stores are rejected.'),
});

const channelSettings = part({
  email: part({
    enabled: z.boolean().default(true).describe('Whether receipts can be sent by e-mail.'),
    from: mailAddress
      .nullable()
      .default(null)
      .describe('The sender of e-mails; `null` uses the sender of the installation.'),
    reply_to: mailAddress
      .nullable()
      .default(null)
      .describe('The address to which replies are sent; `null` uses the sender.'),
    attach_pdf: z.boolean().default(true).describe('Whether e-mails contain the receipt as a PDF.'),
  }).describe('Settings for sending receipts by e-mail.'),
  sms: part({
    enabled: z.boolean().default(false).describe('Whether receipts can be sent by SMS.'),
    account,
    from: sender,
  }).describe('Settings for sending receipts by SMS.'),
  whatsapp: part({
    enabled: z.boolean().default(false).describe('Whether receipts can be sent over WhatsApp.'),
    account,
    from: sender,
  }).describe('Settings for sending receipts over WhatsApp.'),
});

/** Thirty days. */
const silentAfterMinutesMax = 43_200;

const corsSettings = part({
  origins: z
    .array(origin)
    .max(100)
    .refine(...uniqueBy((each: string) => each))
    .default([])
    .describe(
      'The origins, such as `https://shop.example`, whose pages may read and send receipts with URL signatures.',
    ),
});

/** A retailer's settings, with defaults for missing settings. The output is always complete. */
export const retailerSettings = z
  .strictObject({
    timezone: timeZoneField
      .default('UTC')
      .describe('The time zone used for stores that do not set one, an IANA name such as `Europe/Paris`.'),
    currency: currencyField
      .default('EUR')
      .describe('The currency used for stores that do not set one, an ISO 4217 code such as `EUR`.'),
    locale: canonicalLocaleField
      .default('en_GB')
      .describe('The language and region used for stores that do not set them, such as `en_GB`.'),
    response_links: z
      .boolean()
      .default(false)
      .describe('Whether the response to `POST /receipts` contains `_links`.'),
    stores: storeSettings.describe('How the stores in receipts are handled.'),
    channels: channelSettings.describe('The channels over which receipts can be sent.'),
    auto_send: z
      .boolean()
      .default(false)
      .describe(
        'Whether receipts with an e-mail address are sent on arrival. A receipt can override this with `properties.email_settings.send`.',
      ),
    checks: part({
      event: z
        .boolean()
        .default(false)
        .describe('Whether `receipt.check_failed` is published for receipts that do not add up.'),
    }).describe('How receipts are checked for consistency.'),
    tills: part({
      silent_after_minutes: z
        .int()
        .min(1)
        .max(silentAfterMinutesMax)
        .nullable()
        .default(null)
        .describe(
          'The number of minutes without receipts or raw data after which `till.silent` is published for a till; only minutes within the opening hours of its store count, if it has them. `null` turns the event off.',
        ),
    }).describe('How tills are monitored.'),
    cors: corsSettings.describe('The web pages of other origins that may call the API.'),
    portal_groups: z
      .array(characters(1, 100))
      .max(100)
      .refine(...uniqueBy((name: string) => name))
      .default([])
      .describe('The groups to which portal users can belong.'),
    portal_permissions: z
      .record(z.string().regex(/^(?!__proto__$)[^]{1,100}$/), permissionsField)
      .default({})
      .describe(
        'The permissions of portal users, by group. Users of other groups, or without a group, can search and read receipts.',
      ),
    portal_sign_in: part({
      identity_provider: z
        .string()
        .regex(/^[a-z0-9-]{1,40}$/)
        .nullable()
        .default(null)
        .describe(
          'The OpenID Connect provider with which portal users can sign in, one of those in the configuration of the installation; `null` for passwords alone.',
        ),
    }).describe('How portal users sign in.'),
    portal_stores: z
      .record(z.string().regex(/^(?!__proto__$)[^]{1,100}$/), portalStoresField)
      .default({})
      .describe(
        'The stores that portal users may see, by group: a list of references; `null` or missing for all stores. A user with stores of its own sees those that both lists contain, so name a store in the same way in both.',
      ),
    cards: part({
      enabled: z.boolean().default(false).describe('Whether cards can be verified with `POST /cards`.'),
      check: z
        .enum(['none', 'luhn'])
        .default('none')
        .describe('How card numbers are checked: `luhn` checks their last digit.'),
    }).describe('How loyalty cards are verified.'),
    loyalty: z
      .array(loyaltyProgramme)
      .max(100)
      .refine(...uniqueBy((programme: { id: number }) => programme.id))
      .default([])
      .describe('The loyalty programmes of the retailer.'),
    dynamic_fields: dynamicFieldsSettings.describe('Your own fields by which receipts can be searched.'),
    search_default_operator: z
      .enum(['or', 'and'])
      .default('or')
      .describe('How the conditions of a search are combined if they have neither `+` nor `-`.'),
    brand: brandSettings.describe('The appearance of receipts.'),
    retention_days: z
      .int()
      .min(1)
      .max(36_500)
      .nullable()
      .default(null)
      .describe(
        'The number of days after their arrival after which receipts, raw receipts and attachments are deleted; `null` keeps them forever.',
      ),
    event_days: z
      .int()
      .min(1)
      .max(365)
      .default(30)
      .describe('The number of days for which events are kept for `GET /events` and webhooks.'),
    personal_properties: z
      .array(characters(1, 100))
      .max(100)
      .refine(...uniqueBy((name: string) => name))
      .default([])
      .describe(
        'The names of members of `properties` that contain personal data. Erasing a consumer removes them from the receipts.',
      ),
  })
  .prefault({})
  .describe('The settings of the retailer. Missing settings take their defaults.');

export type RetailerSettings = z.output<typeof retailerSettings>;

/** The settings of a retailer without explicit settings. */
export const defaultRetailerSettings: RetailerSettings = retailerSettings.parse({});
