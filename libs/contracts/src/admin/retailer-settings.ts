import { wording } from '@receipts/kernel';
import { z } from 'zod';
import { characters } from '../shared/characters';
import { mailAddressOf } from '../shared/addresses';
import { currencyField, localeField, timeZoneField } from '../shared/fields';
import { permissionsField } from './permissions';

/**
 * A part of the settings. All defaults are in the schema, so that `{}`, a missing part and an incomplete one all become
 * complete.
 */
const part = <S extends z.ZodRawShape>(shape: S) => z.strictObject(shape).prefault({} as never);

const mailAddress = z
  .string()
  .refine((text) => mailAddressOf(text) !== undefined, { error: wording.email })
  .meta({ maxLength: 254 });

/** Only http and https: the addresses are used as links in pages and e-mails. */
const webAddress = z
  .string()
  .max(2048)
  .regex(/^https?:\/\/[^\s<>"']+$/, { error: 'must be an http or https address' });

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
    { error: 'must be different from one another', params: { code: 'not_unique' } },
  ] as const;

const account = z
  .string()
  .regex(/^[a-z0-9-]{1,40}$/)
  .nullable()
  .default(null)
  .meta({
    description:
      'The account with a provider of messages, by the name that the installation has given it; null takes the first one of this channel.',
  });
const sender = characters(1, 34).nullable().default(null).meta({
  description:
    "Who sends: a number, a name or a messaging service for SMS, the id of a number for WhatsApp; null takes the account's.",
});

const dynamicFields = z
  .record(
    z.string().regex(/^(?!__proto__$)[A-Za-z0-9_]{1,64}$/),
    z.enum(['exact', 'partial', 'integer', 'float', 'date']),
  )
  .default({});

const loyaltyProgramme = z.strictObject({
  id: z.int().min(1),
  name: characters(1, 100),
  rule: z.strictObject({
    spend: z.number().positive(),
    value: z.number().min(0),
    name: characters(1, 100),
  }),
});

/** A retailer's settings, with defaults for missing ones. The output is always complete. */
export const retailerSettings = z
  .strictObject({
    timezone: timeZoneField.default('UTC'),
    currency: currencyField.default('EUR'),
    locale: localeField.default('en_GB'),
    response_links: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether the answer to POST /receipts carries `_links`.' }),
    stores: part({ from_receipt: z.boolean().default(false), require_known: z.boolean().default(false) }),
    channels: part({
      email: part({
        enabled: z.boolean().default(true),
        from: mailAddress.nullable().default(null),
        reply_to: mailAddress.nullable().default(null),
      }),
      sms: part({ enabled: z.boolean().default(false), account, from: sender }),
      whatsapp: part({ enabled: z.boolean().default(false), account, from: sender }),
    }),
    auto_send: z.boolean().default(false),
    cors: part({
      origins: z
        .array(origin)
        .max(100)
        .refine(...uniqueBy((each: string) => each))
        .default([])
        .meta({
          description:
            'Origins of web pages whose scripts may read with a URL signature, and send receipts. Others are blocked by browsers.',
        }),
    }).meta({ description: 'What web pages of other origins may do.' }),
    portal_groups: z
      .array(characters(1, 100))
      .max(100)
      .refine(...uniqueBy((name: string) => name))
      .default([]),
    portal_permissions: z
      .record(z.string().regex(/^(?!__proto__$)[^]{1,100}$/), permissionsField)
      .default({})
      .meta({
        description:
          'What the users of a portal group may do. Whoever has no group, or one that is not named here, may look receipts up.',
      }),
    cards: part({ enabled: z.boolean().default(false), check: z.enum(['none', 'luhn']).default('none') }),
    loyalty: z
      .array(loyaltyProgramme)
      .max(100)
      .refine(...uniqueBy((programme: { id: number }) => programme.id))
      .default([]),
    dynamic_fields: part({ receipt: dynamicFields, item: dynamicFields }),
    search_default_operator: z.enum(['or', 'and']).default('or'),
    brand: part({
      name: characters(1, 100).nullable().default(null),
      logo: webAddress
        .nullable()
        .default(null)
        .meta({ description: 'The address of the image above receipts.' }),
      colour: z
        .string()
        .regex(/^#[0-9A-Fa-f]{6}$/)
        .nullable()
        .default(null),
      header: characters(0, 2000).nullable().default(null).meta({ description: 'A text above receipts.' }),
      footer: characters(0, 2000).nullable().default(null).meta({ description: 'A text below receipts.' }),
      links: z
        .array(z.strictObject({ name: characters(1, 100), href: webAddress }))
        .max(20)
        .default([]),
    }),
    retention_days: z
      .int()
      .min(1)
      .max(36_500)
      .nullable()
      .default(null)
      .meta({ description: 'Receipts older than this are deleted; null keeps them for ever.' }),
    event_days: z
      .int()
      .min(1)
      .max(365)
      .default(30)
      .meta({ description: 'For how many days GET /events can go back.' }),
    personal_properties: z
      .array(characters(1, 100))
      .max(100)
      .refine(...uniqueBy((name: string) => name))
      .default([])
      .meta({
        description:
          'Names of members of `properties` that name a person; erasing an identifier removes them from its receipts.',
      }),
  })
  .prefault({});

export type RetailerSettings = z.output<typeof retailerSettings>;

/** The settings of a retailer without explicit settings. */
export const defaultRetailerSettings: RetailerSettings = retailerSettings.parse({});
