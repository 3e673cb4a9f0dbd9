import { wording } from '@receipts/kernel';
import { z } from 'zod';
import { isObject } from '../shared/schema-checks';
import { readDateTime } from '../receipt';
import { freeObject, type KnownMember } from '../receipt/fields';
import { identifierText } from '../shared/key-text';
import { returnedLike } from '../shared/returned-like';

const isText = (value: unknown): boolean => typeof value === 'string' && value.length <= 1000;
const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.length <= 100 && value.every(isText);

const text = (description: string): KnownMember => ({
  is: isText,
  message: wording.string,
  openapi: { type: 'string', description },
});
const texts = (description: string): KnownMember => ({
  is: isTexts,
  message: 'must be an array of strings',
  openapi: { type: 'array', items: { type: 'string' }, description },
});

const nameParts = {
  title: 'The title, such as `Dr`.',
  first: 'The first name.',
  middle: 'The middle name.',
  last: 'The last name.',
};
const name: KnownMember = {
  is: (value) =>
    isObject(value) &&
    Object.keys(nameParts).every((part) => !Object.hasOwn(value, part) || isText(value[part])),
  message: 'must be an object whose values are strings',
  openapi: {
    type: 'object',
    description: 'The name of the consumer.',
    properties: Object.fromEntries(
      Object.entries(nameParts).map(([part, description]) => [part, { type: 'string', description }]),
    ),
    additionalProperties: true,
  },
};

const birthdate: KnownMember = {
  is: (value) =>
    value === null ||
    (typeof value === 'string' &&
      /^\d{4}-\d\d-\d\d$/.test(value) &&
      readDateTime(`${value}T00:00:00`) !== undefined),
  message: 'must be a date such as 1980-02-29, or null',
  openapi: { type: ['string', 'null'], format: 'date', description: 'The date of birth, `YYYY-MM-DD`.' },
};

const knownProperties = {
  address: texts('The lines of the street address of the consumer.'),
  birthdate,
  city: text('The city of the consumer.'),
  email: text('The e-mail address to which receipts without an address are sent.'),
  gender: text('The gender, in your own terms.'),
  name,
  'opt-out': texts('The opt-out tags of the consumer: `receipts` stops receipts from being sent on arrival.'),
  phone: text('The phone number to which receipts without a number are sent.'),
  postcode: text('The postcode of the consumer.'),
  house_number: text('The house number of the consumer.'),
};

const aboutProperties = 'Data about the consumer. Free-form, except for the members listed here.';

/** The properties of a consumer. Additional keys are allowed. */
export const identifierProperties = freeObject(aboutProperties, knownProperties);

/** The deprecated form of a patch: members to replace, and two members that add or remove individual opt-out tags. */
export const patchedProperties = freeObject('The properties to set. Other properties stay unchanged.', {
  ...knownProperties,
  'opt-out+=': texts('Tags to add to `opt-out`. Cannot be combined with `opt-out`.'),
  'opt-out-=': texts('Tags to remove from `opt-out`. Cannot be combined with `opt-out`.'),
}).superRefine((properties, ctx) => {
  if (!isObject(properties)) return;
  const refuse = (key: string, message: string) =>
    ctx.addIssue({ code: 'custom', path: [key], message, params: { code: 'exclusive' } });
  for (const key of ['opt-out+=', 'opt-out-=']) {
    if (Object.hasOwn(properties, 'opt-out') && Object.hasOwn(properties, key)) {
      refuse(key, `at most one of opt-out and ${key} must be given`);
    }
  }
  const [added, removed] = [properties['opt-out+='], properties['opt-out-=']];
  if (!Array.isArray(added) || !Array.isArray(removed)) return;
  if (added.some((tag) => removed.includes(tag)))
    refuse('opt-out-=', 'must not contain a tag that opt-out+= contains');
});

/** The modifiable part of an identifier after a JSON Patch. */
export const patchedIdentifier = z.object({ properties: identifierProperties.optional() });

export const postedIdentifier = z.strictObject({
  identifier: identifierText.describe(
    'The identifier of the consumer: a loyalty card number, an e-mail address, or any other identifier that you use, unless it begins with `_`.',
  ),
  source_updated_timestamp: z.iso
    .datetime({ offset: true })
    .optional()
    .describe('When the consumer last changed in your own system, ISO 8601.'),
  properties: identifierProperties.optional(),
});

/** The totals of a consumer's receipts; `{}` before the first receipt. Duplicates are excluded. */
const summary = z
  .union([
    z.strictObject({}),
    z.strictObject({
      receipts: z.int().describe('The number of receipts.'),
      total: z
        .number()
        .describe('The sum of the totals of the receipts in `currency`, in decimal arithmetic.'),
      currency: z.string().describe('The currency of `total`, an ISO 4217 code.'),
      first_receipt_timestamp: z.string().describe('When the first receipt was issued.'),
      last_receipt_timestamp: z.string().describe('When the last receipt was issued.'),
    }),
  ])
  .describe(
    'Totals of the receipts of the consumer; empty before the first receipt. Duplicates are excluded.',
  );

export const identifier = returnedLike(postedIdentifier, {
  identifier: z.string(),
  created_timestamp: z.string().describe('When the identifier was created.'),
  updated_timestamp: z.string().describe('When the identifier last changed.'),
  source_updated_timestamp: z.string().nullable(),
  summary,
  properties: z.record(z.string(), z.unknown()),
}).strict();

export const identifierExample = {
  identifier: '990000000001',
  created_timestamp: '2026-01-31T22:30:00.000+00:00',
  updated_timestamp: '2026-02-03T09:12:44.120+00:00',
  source_updated_timestamp: null,
  summary: {
    receipts: 2,
    total: 45.48,
    currency: 'EUR',
    first_receipt_timestamp: '2026-02-01T10:00:00+00:00',
    last_receipt_timestamp: '2026-02-03T09:12:44+00:00',
  },
  properties: {
    email: 'joe.smith@example.com',
    name: { first: 'Joe', last: 'Smith' },
    'opt-out': ['receipts'],
  },
};

export type Identifier = z.output<typeof identifier>;
export type IdentifierSummary = z.output<typeof summary>;

export const identifierParams = z.object({
  identifier: z.string().meta({
    description: 'The identifier of the consumer, percent-encoded.',
    examples: ['jane@example.com'],
  }),
});

export const identifierNotFound = {
  status: 404,
  code: 'identifier_not_found',
  description: 'identifier not found',
};
export const identifierExists = {
  status: 409,
  code: 'identifier_exists',
  description: 'the identifier already exists',
};
