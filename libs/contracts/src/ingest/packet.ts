import { z } from 'zod';
import { packetMetadata } from './packet-facts';

export const packetStates = ['accepted', 'converted', 'failed'] as const;
export type PacketState = (typeof packetStates)[number];

/** Why a packet could not be converted. It is kept and can be converted again. */
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
export const packetFault = z.object({ path: z.string(), code: z.string(), message: z.string() });

export const mappingVersion = z.object({ id: z.string(), version: z.number().int() });

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
  id: z.string(),
  status: z.enum(packetStates),
  reason: z.enum(failureReasons).nullable(),
  errors: z.array(packetFault),
  content_type: z.string().nullable(),
  size: z.number().int(),
  received_timestamp: z.string(),
  updated_timestamp: z.string(),
  attempts: z.number().int(),
  mapping: mappingVersion.nullable(),
  metadata: packetMetadata,
  properties: z.record(z.string(), z.string()),
  receipt_id: z.string(),
  receipt_ids: z.array(z.string()),
  duplicate: z.boolean(),
});
export type PacketView = z.output<typeof packetView>;

export const packetNotFound = { status: 404, code: 'packet_not_found', description: 'packet not found' };
