import { defineCommand, defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { processingPending, receiptDeletedError, receiptNotFound } from '../receipt/errors';

/** The maximum number of notes per receipt. */
export const receiptNotesMax = 50;

const note = z.object({
  timestamp: z.string(),
  /** The principal that wrote it, such as `portal-user:7`. */
  by: z.string(),
  text: z.string(),
});

const params = z.object({ id: z.string() });
const errors = [receiptNotFound, processingPending, receiptDeletedError];

/** For the portal, whose users ask what happened to a receipt. */
export const getReceiptHistory = defineQuery({
  name: 'receipt-store.get-receipt-history',
  summary: 'Get the history of a receipt',
  description: 'Internal. Returns the changes of a receipt, oldest first, and the notes of staff.',
  forStores: 'confined',
  params,
  output: z.object({
    changes: z.array(
      z.object({
        /** The type of the event that reported the change. */
        type: z.string(),
        timestamp: z.string(),
        /** The principal that made the change; null if it is not known. */
        by: z.string().nullable(),
      }),
    ),
    notes: z.array(note),
  }),
  errors,
});

export const addReceiptNote = defineCommand({
  name: 'receipt-store.add-receipt-note',
  summary: 'Add a note to a receipt',
  description: `Internal. Adds a note of staff, which is deleted and erased with the receipt. The latest ${receiptNotesMax} are kept.`,
  forStores: 'confined',
  params,
  body: z.object({ text: z.string().min(1).max(1_000) }),
  errors,
});
