import { z } from 'zod';
import { packetMetadata } from './packet-facts';

/** Why a packet could not be converted. The packet is kept and can be converted again. */
export const failureReasons = [
  'no_mapping',
  'decode_failed',
  'mapping_failed',
  'timeout',
  'too_large',
  'invalid_receipt',
  'duplicate_transaction_id',
  'crashed',
] as const;
export type FailureReason = (typeof failureReasons)[number];

/** `path` is a JSON Pointer to the receipts that the mapping returned, or to the mapping. */
export const packetFault = z.object({
  path: z
    .string()
    .describe('A JSON Pointer to the cause, in the receipts that the mapping returned or in the mapping.'),
  code: z.string().describe('The stable code of the error.'),
  message: z.string().describe('The error in words.'),
  part: z
    .int()
    .optional()
    .describe('The part of the raw data in which the error occurred, from 0, if it belongs to one.'),
});

export type PacketFault = z.output<typeof packetFault>;

export const mappingVersion = z.object({
  id: z.string().describe('The id of the mapping.'),
  version: z.number().int().describe('The version of the mapping.'),
});

/** The parts of a packet that its events also contain. */
export const packetFields = {
  id: z.string().describe('The id of the packet.'),
  receipt_id: z
    .string()
    .describe('The id of the first receipt of the packet, reserved when the packet was accepted.'),
  content_type: z.string().nullable().describe('The media type of the raw data, as sent.'),
  size: z.number().int().describe('The size of the raw data in bytes.'),
  metadata: packetMetadata,
  duplicate: z.boolean().describe('Whether the packet was marked as another copy of a receipt.'),
};
export const convertedBy = mappingVersion
  .nullable()
  .describe('The mapping that was used last; `null` if none was chosen.');
export const failureReason = z.enum(failureReasons).describe('Why the conversion failed.');
export const packetFaults = z.array(packetFault).describe('The errors of a failed conversion.');
export const packetReceiptIds = z.array(z.string()).describe('The ids of all receipts of the packet.');
