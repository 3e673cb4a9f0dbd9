import { defineCommand, json, wording } from '@receipts/kernel';
import { z } from 'zod';
import { always } from '../shared/schema-checks';
import { consumerMismatch, processingPending } from '../receipt/errors';
import { exactlyOneOf } from '../shared/exclusive';
import { keyText } from '../shared/names';
import { isPhoneNumber, mailAddressOf } from '../shared/addresses';
import { channelNotAvailable, receiptToSendNotFound, tooManySends } from './delivery';
import { channels } from '../shared/channels';

const body = z
  .strictObject({
    id: keyText.optional(),
    transaction_id: keyText.optional(),
    channels: z.array(z.string().min(1).max(32)).min(1).max(10),
    email_address: z
      .string()
      .refine((text) => mailAddressOf(text) !== undefined, { error: wording.email })
      .meta({
        description:
          'Instead of the address on the receipt: a plain address (RFC 5321), without quoting and comments; the domain may be international.',
        examples: ['jo@demo.example'],
        maxLength: 254,
      })
      .optional(),
    phone_number: z
      .string()
      .refine(isPhoneNumber, { error: 'must be a phone number' })
      .meta({
        description: 'Instead of the number on the receipt: 6 to 15 digits, as people write them.',
        examples: ['+33 6 12 34 56 78'],
        maxLength: 25,
      })
      .optional(),
    resolve: z.boolean().optional(),
  })
  .superRefine(exactlyOneOf(['id', 'transaction_id']), always)
  .meta({ oneOf: [{ required: ['id'] }, { required: ['transaction_id'] }] });

const accepted = z.object({ id: z.string() });
const resolved = z.object({
  id: z.string(),
  channels: z.array(z.enum(channels)),
  email_address: z.string().nullable(),
  phone_number: z.string().nullable(),
});

/** Used when a consumer asks for a receipt again, or when a till offers to send it. */
export const sendReceipt = defineCommand(
  {
    name: 'delivery.send-receipt',
    summary: 'Send a receipt',
    description:
      'Sends a stored receipt over the given channels. With `resolve` nothing is sent; the answer tells which channels are ' +
      'available and to which addresses it would go. A credential that is confined to consumers sends only to their own addresses. ' +
      'An address takes 5 receipts in 10 minutes, and a receipt goes out 20 times in 24 hours; what is sent on arrival counts, and is never held back. ' +
      'A credential sends 6,000 times a minute.',
    permission: 'view.send_receipt',
    http: {
      method: 'POST',
      path: '/receipts/_send',
      success: 202,
      otherSuccess: [200],
      fromPages: true,
      rate: { requests: 6_000, perSeconds: 60 },
    },
    body: json(body),
    output: z.union([resolved, accepted]),
    meta: z.object({ resolved: z.boolean() }),
    errors: [receiptToSendNotFound, channelNotAvailable, processingPending, consumerMismatch, tooManySends],
    examples: {
      request: { id: '6650d1c2a4b8e9f012345678', channels: ['email'] },
      response: { id: '6650d1c2a4b8e9f012345678' },
    },
  },
  { answer: (meta) => ({ status: meta.resolved ? 200 : 202 }) },
);

export type SendReceipt = z.output<typeof body>;
