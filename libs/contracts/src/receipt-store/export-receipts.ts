import { defineQuery, rawOutput } from '@receipts/kernel';
import { z } from 'zod';
import { ndjsonType } from '../shared/media-types';
import { moment } from '../shared/moment';
import { unknownCursor } from '../shared/paging';
import { choice, commaSeparatedList, text } from '../shared/query-parameters';

export const exportDaysMax = 366;
/** The number of receipts between cursors. */
export const exportCursorEvery = 1_000;
const timeoutMs = 30_000;

const exportFormats = ['ndjson', 'csv'] as const;
const exportTypes = [ndjsonType, 'text/csv'] as const;

/** The state of an export after a part. */
const exportPart = z.object({
  /** The position and id of the last receipt; 0 and an empty id before the first receipt. */
  arrival: z.int(),
  id: z.string(),
  /** The position after which the export starts. */
  scanned: z.int(),
  /** The position of the last receipt of the export. */
  last: z.int(),
  /** The number of receipts since the last cursor. */
  sinceCursor: z.int(),
  /** Whether the last line is a cursor. */
  endsWithCursor: z.boolean(),
});
export type ExportPart = z.output<typeof exportPart>;

/** Used by auditors, for example. */
export const exportReceipts = defineQuery(
  {
    name: 'receipt-store.export-receipts',
    summary: 'Export receipts',
    description:
      'Returns all receipts in a time range in order of arrival, as NDJSON (one receipt per ' +
      'line, as `GET /receipts/{id}` returns it) or as CSV with one row for each item. ' +
      `A cursor follows every ${exportCursorEvery} receipts and the last receipt: in NDJSON a line \`{"_cursor": "…"}\`, in CSV a row with \`#cursor\` in the first cell and the cursor in the second. ` +
      'If the download is interrupted, discard everything after the last cursor and resume with `after`, so that no receipt is missing or repeated. ' +
      'A complete response ends with a cursor. Each CSV response begins with the column names. ' +
      "Text that a spreadsheet would interpret as a formula, also after a `;` or a tab, is prefixed with `'`.",
    permission: 'view.export_receipt',
    forStores: 'confined',
    http: {
      method: 'GET',
      path: '/receipts/export',
      success: 200,
      consumerScoped: true,
      produces: exportTypes,
    },
    query: z.object({
      from: moment(
        'first',
        'The first `timestamp` of the range, ISO 8601. A date means its first instant in UTC.',
      ),
      to: moment('first', `The exclusive end of the range, at most ${exportDaysMax} days after \`from\`.`),
      store_reference: commaSeparatedList({
        max: 20,
        description:
          'Only export receipts from the stores with these references or external references, separated by commas.',
        example: '1',
      }).optional(),
      format: choice(
        exportFormats,
        'The format. Defaults to the one preferred by `Accept`, otherwise to `ndjson`.',
      ).optional(),
      after: text({
        max: 100,
        description: 'Only export receipts after this cursor of an earlier export with the same parameters.',
        example: 'AAAAAAPoQ3pK9x1d',
      }).optional(),
      part: exportPart.optional().meta({ internal: true, description: 'The state after the previous part.' }),
    }),
    headers: z.object({ accept: choice(exportTypes, 'The media type of the response.') }),
    output: rawOutput,
    meta: z.object({ contentType: z.string(), fileName: z.string(), next: exportPart.optional() }),
    errors: [unknownCursor],
    timeoutMs,
  },
  {
    response: ({ fileName }) => ({
      headers: { 'content-disposition': `attachment; filename="${fileName}"` },
    }),
    nextPart: ({ next }) => next && { part: next },
  },
);
export type ExportQuery = z.output<typeof exportReceipts.query>;
