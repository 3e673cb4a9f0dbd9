import { wording } from '@receipts/kernel';
import { z } from 'zod';
import { isObject } from '../shared/schema-checks';
import { readDateTime } from '../receipt';
import { freeObject, type KnownMember } from '../receipt/fields';
import { keyText } from '../shared/names';

const isText = (value: unknown): boolean => typeof value === 'string' && value.length <= 1000;
const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.length <= 100 && value.every(isText);

const text: KnownMember = { is: isText, message: wording.string, openapi: { type: 'string' } };
const texts: KnownMember = {
  is: isTexts,
  message: 'must be an array of strings',
  openapi: { type: 'array', items: { type: 'string' } },
};

const nameParts = ['title', 'first', 'middle', 'last'];
const name: KnownMember = {
  is: (value) =>
    isObject(value) && nameParts.every((part) => !Object.hasOwn(value, part) || isText(value[part])),
  message: 'must be an object of strings',
  openapi: {
    type: 'object',
    properties: Object.fromEntries(nameParts.map((part) => [part, { type: 'string' }])),
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
  openapi: { type: ['string', 'null'], format: 'date' },
};

const knownProperties = {
  address: texts,
  birthdate,
  city: text,
  email: text,
  gender: text,
  name,
  'opt-out': texts,
  phone: text,
  postcode: text,
  house_number: text,
};

/** The properties of a consumer. Additional keys are allowed. */
export const identifierProperties = freeObject(knownProperties);

/** The deprecated form of a patch: members that are replaced, and two that add or remove single opt-out tags. */
export const patchedProperties = freeObject({
  ...knownProperties,
  'opt-out+=': texts,
  'opt-out-=': texts,
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
    refuse('opt-out-=', 'must not have a tag that opt-out+= has');
});

/** The modifiable part of an identifier after a JSON Patch. */
export const patchedIdentifier = z.object({ properties: identifierProperties.optional() });

export const postedIdentifier = z.strictObject({
  identifier: keyText,
  source_updated_timestamp: z.iso.datetime({ offset: true }).optional(),
  properties: identifierProperties.optional(),
});

/** The totals of a consumer's receipts; `{}` before the first one. Duplicates are excluded. */
const summary = z.union([
  z.strictObject({}),
  z.strictObject({
    receipts: z.int(),
    total: z.number(),
    currency: z.string(),
    first_receipt_timestamp: z.string(),
    last_receipt_timestamp: z.string(),
  }),
]);

export const identifier = z.strictObject({
  identifier: z.string(),
  created_timestamp: z.string(),
  updated_timestamp: z.string(),
  source_updated_timestamp: z.string().nullable(),
  summary,
  properties: z.record(z.string(), z.unknown()),
});

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

export const identifierNotFound = {
  status: 404,
  code: 'identifier_not_found',
  description: 'identifier not found',
};
export const identifierExists = {
  status: 409,
  code: 'identifier_exists',
  description: 'the identifier exists already',
};
