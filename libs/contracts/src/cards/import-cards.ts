import { bytes, defineCommand, malformedBody, schemaValidationFailed } from '@receipts/kernel';
import { z } from 'zod';
import { retailerNotFound, retailerParams } from '../admin/retailer';
import { keyText } from '../shared/key-text';

/** A card and its registration code. */
export const cardWithCode = z.strictObject({
  card_number: keyText.describe('The number on the card.'),
  registration_code: keyText.describe('The registration code that came with the card.'),
});
export type CardWithCode = z.output<typeof cardWithCode>;

export const importedCardsMax = 200_000;
const timeoutMs = 60_000;

/** Imports a retailer's printed cards with their registration codes. */
export const importCards = defineCommand({
  name: 'identifier.import-cards',
  summary: 'Import cards',
  description:
    'Accepts an array of `{card_number, registration_code}` as `application/json`, or `text/csv` (RFC 4180) with a header line that ' +
    `names these two columns; at most ${importedCardsMax} cards. Either all cards are imported or none; each invalid card is reported with its position. ` +
    'The code of an existing card is replaced. Cards that are not in the body are kept.',
  http: { method: 'PUT', path: '/operator/retailers/{id}/cards', access: 'operator', success: 200 },
  params: retailerParams,
  body: bytes('attachment', ['application/json', 'text/csv']),
  output: z.strictObject({
    imported: z.int().describe('The number of new cards.'),
    replaced: z.int().describe('The number of existing cards whose code was replaced.'),
  }),
  errors: [retailerNotFound, malformedBody, schemaValidationFailed],
  timeoutMs,
  examples: {
    request: [{ card_number: '4539578763621486', registration_code: '123456' }],
    response: { imported: 1, replaced: 0 },
  },
});
