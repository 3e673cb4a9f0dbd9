import { z } from 'zod';
import {
  convertedBy,
  failureReason,
  failureReasons,
  mappingVersion,
  packetFault,
  packetFaults,
  packetFields,
  packetReceiptIds,
} from './packet-fields';

export {
  failureReasons,
  mappingVersion,
  packetFault,
  type FailureReason,
  type PacketFault,
} from './packet-fields';

export const packetStates = ['accepted', 'converted', 'failed'] as const;
export type PacketState = (typeof packetStates)[number];

const packetId = 'The id of the packet, or of a receipt that it was converted into.';
export const packetParams = z.object({
  id: z.string().meta({ description: packetId, examples: ['6a1f3c2b9d4e5f60718293a4'] }),
});

/** The outcome of an attempt to convert a packet. */
export const conversionOutcome = z.object({
  /** The ids of all stored receipts of the packet. There may be some even after a failure. */
  receiptIds: z.array(z.string()),
  mapping: mappingVersion.nullable(),
  failure: z.object({ reason: z.enum(failureReasons), errors: z.array(packetFault) }).nullable(),
});
export type ConversionOutcome = z.output<typeof conversionOutcome>;

/** A packet as returned to its retailer. */
export const packetView = z.object({
  ...packetFields,
  status: z
    .enum(packetStates)
    .describe('`accepted` until the packet is `converted` or the conversion has `failed`.'),
  reason: failureReason.nullable().describe('Why the conversion failed; `null` if it did not fail.'),
  errors: packetFaults,
  received_timestamp: z.string().describe('When the packet arrived.'),
  updated_timestamp: z.string().describe('When the packet last changed.'),
  attempts: z.number().int().describe('The number of attempts to convert the packet.'),
  mapping: convertedBy,
  properties: z.record(z.string(), z.string()).describe('The free-form properties sent with the data.'),
  receipt_ids: packetReceiptIds,
});
export type PacketView = z.output<typeof packetView>;

/** A packet whose content was deleted with its receipts, or after its retention period. Its state is kept. */
export const packetDeleted = {
  status: 410,
  code: 'packet_deleted',
  description: 'the data of the packet was deleted',
};

export const packetNotFound = { status: 404, code: 'packet_not_found', description: 'packet not found' };
