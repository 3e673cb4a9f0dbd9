import { defineCommand, idempotencyMismatch, json } from '@receipts/kernel';
import { z } from 'zod';
import { keyText } from '../shared/key-text';

/** The maximum duration of a validation that a client may request. The gateway's timeout is a little longer. */
export const validationTimeoutSecondsMax = 15;
const answerMarginMs = 2_000;

export const validationResults = ['deliverable', 'undeliverable', 'risky', 'unknown'] as const;
export const validationReasons = [
  'invalid_email',
  'invalid_domain',
  'rejected_email',
  'accepted_email',
  'low_quality',
  'low_deliverability',
  'no_connect',
  'timeout',
  'unavailable_smtp',
  'unexpected_error',
] as const;

const details = z.strictObject({
  accept_all: z.boolean().describe('Whether the domain accepts e-mail for every address.'),
  did_you_mean: z
    .string()
    .nullable()
    .describe('The suggested correction of the address; `null` if there is none.'),
  disposable: z.boolean().describe('Whether the domain provides disposable addresses.'),
  domain: z.string().describe('The domain of the address.'),
  email: z.string().describe('The normalised address.'),
  free: z.boolean().describe('Whether the domain belongs to a free e-mail provider.'),
  message: z.string().nullable().describe('Further information from the provider, if there is any.'),
  reason: z.enum(validationReasons).describe('Why the validation has this result.'),
  result: z.enum(validationResults).describe('Whether e-mail to the address can be delivered.'),
  role: z.boolean().describe('Whether the address belongs to a role, such as `info`, instead of a person.'),
  sendex: z.int().min(0).max(1).describe('The quality of the address, rounded: 0 (bad) or 1 (good).'),
  success: z.boolean().describe('Whether the provider could validate the address.'),
  user: z.string().describe('The part of the address before the `@`.'),
});

export type ValidationDetails = z.output<typeof details>;

export const tooManyValidations = {
  status: 429,
  code: 'rate_limited',
  description: 'too many concurrent validations',
};

/** Used by a till or an app while the consumer can still correct the address. */
export const validateIdentifier = defineCommand({
  name: 'identifier.validate-identifier',
  summary: 'Validate an e-mail address',
  description:
    'Checks an e-mail address while the consumer can still correct it. `status` is `invalid` only if the address certainly cannot receive e-mail. If the check ' +
    'does not finish in time, `status` is `valid` and the result `unknown`.',
  permission: 'view.validate_identifier',
  forConsumers: 'unrelated',
  http: {
    method: 'POST',
    path: '/identifiers/_validate',
    success: 200,
    rate: { requests: 1_200, perSeconds: 60 },
  },
  body: json(
    z.strictObject({
      identifier: keyText.describe('The e-mail address to validate.'),
      timeout: z
        .int()
        .min(3)
        .max(validationTimeoutSecondsMax)
        .optional()
        .describe('The maximum duration of the validation in seconds. Defaults to 6.'),
    }),
  ),
  output: z.strictObject({
    status: z
      .enum(['valid', 'invalid'])
      .describe('`invalid` if e-mail to the address certainly cannot be delivered.'),
    provider: z.string().describe('The provider that validated the address, such as `local`.'),
    suggestions: z.array(z.string()).describe('Suggested corrections of the address.'),
    details: details.describe('The findings in detail.'),
  }),
  errors: [tooManyValidations, idempotencyMismatch],
  timeoutMs: validationTimeoutSecondsMax * 1_000 + answerMarginMs,
  examples: {
    request: { identifier: 'joe.smith@gamil.com', timeout: 5 },
    response: {
      status: 'valid',
      provider: 'local',
      suggestions: ['joe.smith@gmail.com'],
      details: {
        accept_all: false,
        did_you_mean: 'joe.smith@gmail.com',
        disposable: false,
        domain: 'gamil.com',
        email: 'joe.smith@gamil.com',
        free: false,
        message: null,
        reason: 'accepted_email',
        result: 'deliverable',
        role: false,
        sendex: 1,
        success: true,
        user: 'joe.smith',
      },
    },
  },
});
