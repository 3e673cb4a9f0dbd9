import { z } from 'zod';
import { always } from '../shared/schema-checks';
import { exactlyOneOf } from '../shared/exclusive';
import { timestampField } from '../shared/fields';

/** A message that could not be processed, without its content. */
export const deadLetter = z.object({
  id: z.string().describe('The id of the message.'),
  queue: z.string().describe('The queue in which the message failed, and to which a replay returns it.'),
  type: z.string().describe('The name of the command, or the type of the event.'),
  retailer: z
    .string()
    .nullable()
    .describe('The id of the retailer that the message concerns; `null` if there is none.'),
  reason: z.string().describe('The error of the last attempt.'),
  attempts: z.int().describe('The number of attempts to process the message.'),
  first_failed_timestamp: timestampField
    .nullable()
    .describe('When processing first failed; `null` if it is unknown.'),
  last_failed_timestamp: timestampField
    .nullable()
    .describe('When processing last failed; `null` if it is unknown.'),
  trace_id: z
    .string()
    .nullable()
    .describe('The id of the trace that the message belongs to, if there is one.'),
  request_id: z
    .string()
    .nullable()
    .describe('The `request-id` of the request that caused the message, if it is known.'),
});

const idsMax = 1_000;

/** Selects messages of a queue. */
export const deadLetterSelection = z
  .strictObject({
    queue: z.string().min(1).max(255).describe('The queue in which the messages failed.'),
    ids: z
      .array(z.string().min(1).max(255))
      .min(1)
      .max(idsMax)
      .optional()
      .describe('The ids of the messages to select. Cannot be combined with `all`.'),
    all: z
      .literal(true)
      .optional()
      .describe('Selects all dead letters of the queue. Cannot be combined with `ids`.'),
  })
  .superRefine(exactlyOneOf(['ids', 'all']), always);

export const queueNotFound = {
  status: 404,
  code: 'queue_not_found',
  description: 'queue not found',
};
export const deadLetterNotFound = {
  status: 404,
  code: 'not_found',
  description: 'dead letter not found',
};

/** Reading a long queue takes a while. */
export const deadLettersTimeoutMs = 30_000;
