import { z } from 'zod';
import { wording } from '@receipts/kernel';
import { characters } from '../shared/characters';
import { readDateTime } from '../shared/date-time';

/** The laws under which tills sign receipts. */
const fiscalRegimes = [
  'de-tse',
  'at-rksv',
  'es-verifactu',
  'es-ticketbai',
  'pt',
  'se',
  'it',
  'fr',
  'hu',
  'other',
] as const;

const instant = z.string().refine((value) => readDateTime(value)?.offsetMinutes !== undefined, {
  message: wording.dateTime,
  params: { code: 'invalid_format' },
});
const base64 = characters(1, 8_192).regex(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/);

/**
 * What the fiscal device of a till has signed. The platform stores and shows this data, but signs nothing itself.
 */
export const postedFiscal = z.strictObject({
  regime: z.enum(fiscalRegimes).describe('The law under which the receipt was signed.'),
  device_id: characters(1, 255).nullish().describe('The id of the fiscal device.'),
  number: characters(1, 255).nullish().describe('The number that the fiscal device gave the transaction.'),
  counter: z.int().min(0).nullish().describe('The number of signatures of the fiscal device so far.'),
  started: instant.nullish().describe('When the transaction started, ISO 8601 with an offset.'),
  finished: instant.nullish().describe('When the transaction ended, ISO 8601 with an offset.'),
  signature: characters(1, 4_096).nullish().describe('The signature of the fiscal device.'),
  certificate: base64.nullish().describe('The certificate or public key of the device: DER in base64.'),
  qr: characters(1, 4_096).nullish().describe('The exact content of the code that the law requires.'),
  texts: z
    .array(characters(1, 255))
    .max(20)
    .optional()
    .describe('Further lines that the law requires on the receipt.'),
});
