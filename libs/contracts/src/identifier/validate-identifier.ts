import { defineCommand, idempotencyMismatch, json } from '@receipts/kernel';
import { z } from 'zod';
import { keyText } from '../shared/names';

/** The maximum duration of a validation that a client may request. The gateway's timeout is a little longer. */
export const validationTimeoutSecondsMax = 15;
const answerMarginMs = 2_000;

const details = z.strictObject({
  accept_all: z.boolean(),
  did_you_mean: z.string().nullable().meta({ description: 'The address that was probably meant.' }),
  disposable: z.boolean(),
  domain: z.string(),
  email: z.string(),
  free: z.boolean().meta({ description: 'Whether the domain gives mailboxes to anybody.' }),
  message: z.string().nullable(),
  reason: z.enum([
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
  ]),
  result: z.enum(['deliverable', 'undeliverable', 'risky', 'unknown']),
  role: z
    .boolean()
    .meta({ description: 'Whether the mailbox belongs to a task, such as `info`, and to no person.' }),
  sendex: z.int().min(0).max(1).meta({ description: 'How good the address is, rounded.' }),
  success: z.boolean(),
  user: z.string(),
});

export type ValidationDetails = z.output<typeof details>;

export const tooManyValidations = {
  status: 429,
  code: 'rate_limited',
  description: 'too many validations at a time',
};

/** Used by a till or an app while the consumer can still correct the address. */
export const validateIdentifier = defineCommand({
  name: 'identifier.validate-identifier',
  summary: 'Validate an e-mail address',
  description:
    '`status` is `invalid` only when the address certainly takes no mail, so that nobody is sent away for a doubt: what could not be found ' +
    'out in time is `valid` with the result `unknown`. `suggestions` has what was probably meant.',
  permission: 'view.validate_identifier',
  http: {
    method: 'POST',
    path: '/identifiers/_validate',
    success: 200,
    rate: { requests: 1_200, perSeconds: 60 },
  },
  body: json(
    z.strictObject({
      identifier: keyText,
      timeout: z
        .int()
        .min(3)
        .max(validationTimeoutSecondsMax)
        .optional()
        .meta({ description: 'How long it may take, in seconds; 6 when it is not given.' }),
    }),
  ),
  output: z.strictObject({
    status: z.enum(['valid', 'invalid']),
    provider: z.string(),
    suggestions: z.array(z.string()),
    details,
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
