import { bytes, defineCommand, malformedBody, schemaValidationFailed } from '@receipts/kernel';
import { z } from 'zod';
import { retailerNotFound, retailerParams } from '../admin/retailer';
import { keyText } from '../shared/names';

export const importedCard = z.strictObject({ card_number: keyText, registration_code: keyText });
export type ImportedCard = z.output<typeof importedCard>;

export const importedCardsMax = 200_000;
const timeoutMs = 60_000;

/** Imports the cards that a retailer had printed, with their registration codes. */
export const importCards = defineCommand({
  name: 'identifier.import-cards',
  summary: 'Import cards',
  description:
    'As `application/json` an array of `{card_number, registration_code}`, as `text/csv` (RFC 4180) the same with a first line that ' +
    `names these two columns; at most ${importedCardsMax} cards. All or none: a faulty one is told with its place. A card that is there ` +
    'already gets the new code and counts as replaced; cards that are not named stay.',
  http: { method: 'PUT', path: '/operator/retailers/{id}/cards', access: 'operator', success: 200 },
  params: retailerParams,
  body: bytes('attachment', ['application/json', 'text/csv']),
  output: z.strictObject({ imported: z.int(), replaced: z.int() }),
  errors: [retailerNotFound, malformedBody, schemaValidationFailed],
  timeoutMs,
  examples: {
    request: [{ card_number: '4539578763621486', registration_code: '123456' }],
    response: { imported: 1, replaced: 0 },
  },
});
