import { z } from 'zod';
import { always } from '../shared/schema-checks';
import { exactlyOneOf } from '../shared/exclusive';
import { timestampField } from '../shared/fields';

/** A message that could not be processed, without its content. */
export const deadLetter = z.object({
  id: z.string(),
  queue: z.string().meta({ description: 'The queue that it came from and goes back to.' }),
  type: z.string(),
  retailer: z.string().nullable(),
  reason: z.string(),
  attempts: z.int(),
  first_failed_timestamp: timestampField.nullable(),
  last_failed_timestamp: timestampField.nullable(),
  trace_id: z.string().nullable(),
  request_id: z.string().nullable(),
});

const idsMax = 1_000;

/** Selects messages of a queue. */
export const deadLetterSelection = z
  .strictObject({
    queue: z.string().min(1).max(255),
    ids: z.array(z.string().min(1).max(255)).min(1).max(idsMax).optional(),
    all: z.literal(true).optional(),
  })
  .superRefine(exactlyOneOf(['ids', 'all']), always);

export const queueNotFound = {
  status: 404,
  code: 'queue_not_found',
  description: 'there is no such queue',
};
export const deadLetterNotFound = {
  status: 404,
  code: 'not_found',
  description: 'there is no such dead letter',
};

/** Reading a long queue takes a while. */
export const deadLettersTimeoutMs = 30_000;
