import { defineCommand, json, wording } from '@receipts/kernel';
import { z } from 'zod';
import { always } from '../shared/schema-checks';
import { consumerMismatch, processingPending, receiptVoidedError } from '../receipt/errors';
import { exactlyOneOf } from '../shared/exclusive';
import { keyText } from '../shared/key-text';
import { isPhoneNumber, mailAddressOf } from '../shared/addresses';
import { channelNotAvailable, receiptToSendNotFound, tooManySends } from './delivery';
import { channels } from '../shared/channels';

const body = z
  .strictObject({
    id: keyText
      .optional()
      .describe('The id of the receipt to send. Cannot be combined with `transaction_id`.'),
    transaction_id: keyText
      .optional()
      .describe('The transaction id of the receipt to send. Cannot be combined with `id`.'),
    channels: z
      .array(z.string().min(1).max(32))
      .min(1)
      .max(10)
      .describe('The channels over which the receipt is sent: `email`, `sms`, `whatsapp`.'),
    email_address: z
      .string()
      .refine((text) => mailAddressOf(text) !== undefined, { error: wording.email })
      .meta({
        description:
          'The e-mail address to use instead of the address on the receipt. A plain address (RFC 5321) without quotes or comments; the domain may be internationalized.',
        examples: ['jo@demo.example'],
        maxLength: 254,
      })
      .optional(),
    phone_number: z
      .string()
      .refine(isPhoneNumber, { error: 'must be a phone number' })
      .meta({
        description: 'The phone number to use instead of the number on the receipt, with 6 to 15 digits.',
        examples: ['+33 6 12 34 56 78'],
        maxLength: 25,
      })
      .optional(),
    resolve: z
      .boolean()
      .optional()
      .describe(
        'Whether to return the available channels and addresses without sending. Defaults to `false`.',
      ),
  })
  .superRefine(exactlyOneOf(['id', 'transaction_id']), always)
  .meta({ oneOf: [{ required: ['id'] }, { required: ['transaction_id'] }] });

const receiptId = z.string().describe('The id of the receipt.');
const accepted = z.object({ id: receiptId });
const resolved = z.object({
  id: receiptId,
  channels: z.array(z.enum(channels)).describe('The channels over which the receipt can be sent.'),
  email_address: z
    .string()
    .nullable()
    .describe('The e-mail address to which it would be sent; `null` if there is none.'),
  phone_number: z
    .string()
    .nullable()
    .describe('The phone number to which it would be sent; `null` if there is none.'),
});

/** Used when a consumer asks for a receipt again, or when a till offers to send it. */
export const sendReceipt = defineCommand(
  {
    name: 'delivery.send-receipt',
    summary: 'Send a receipt',
    description:
      'Sends a stored receipt over the given channels. With `resolve`, nothing is sent: the response contains the available channels and the addresses. A voided receipt is rejected. A credential that is restricted to consumers can only send to the addresses of these consumers. At most 5 receipts are sent to an address ' +
      'within 10 minutes, and a receipt is sent at most 20 times within 24 hours. Receipts that are sent on arrival count towards these limits, but are never rejected. ' +
      'A credential can send at most 6,000 receipts per minute.',
    permission: 'view.send_receipt',
    forStores: 'confined',
    forConsumers: 'confined',
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
    errors: [
      receiptToSendNotFound,
      receiptVoidedError,
      channelNotAvailable,
      processingPending,
      consumerMismatch,
      tooManySends,
    ],
    examples: {
      request: { id: '6650d1c2a4b8e9f012345678', channels: ['email'] },
      response: { id: '6650d1c2a4b8e9f012345678' },
    },
  },
  { response: (meta) => ({ status: meta.resolved ? 200 : 202 }) },
);

export type SendReceipt = z.output<typeof body>;
