import { bytes, defineCommand, freePairs, schemaValidationFailed, ServiceError } from '@receipts/kernel';
import { z } from 'zod';
import { duplicateExternalId } from '../receipt/errors';
import { unknownAttachment } from './attachment';
import { metadataNames, readPacketFacts } from './packet-facts';

const metadataDescriptions: Readonly<Record<(typeof metadataNames)[number], string>> = {
  duplicate: 'Marks a duplicate receipt.',
  external_id: 'A UUIDv4. The same bytes again are accepted and converted once, other bytes are 409.',
  transaction_id: 'Fills in the transaction id where the mapping gives none.',
  store_reference: 'Fills in the store, and helps to choose the mapping.',
  till_id: 'Helps to choose the mapping.',
  till_uuid: 'Fills in the till.',
  source_id: 'Helps to choose the mapping.',
  identifier: 'Fills in the consumer.',
  mapping: 'The id of the mapping to use.',
};

function freeParameters() {
  return metadataNames.flatMap((name) => {
    const schema = { type: name === 'duplicate' ? 'boolean' : 'string' };
    const description = metadataDescriptions[name];
    return [
      { in: 'query' as const, name, description, schema },
      { in: 'header' as const, name: `service-${name.replaceAll('_', '-')}`, description, schema },
    ];
  });
}

/**
 * A till posts a raw receipt in any format. The response waits only for the broker's confirm, and the id of the message
 * becomes the id of the receipt. If the response depends on stored data (external id, idempotency key, attachments),
 * the till waits for ingest instead.
 */
export const acceptPacket = defineCommand(
  {
    name: 'ingest.accept-packet',
    summary: 'Post a raw receipt',
    description:
      'Takes a raw receipt in any format. It is converted asynchronously by a mapping that was set up in advance. ' +
      'The Location names the receipt to be. Query parameters `property-<name>` and headers `service-property-<name>` ' +
      'are kept as free properties; case is ignored, `-` equals `_`, a header wins, the first of a repeated name wins. ' +
      'A credential that is confined to consumers must name one of them as `identifier`.',
    permission: 'view.post_pos_receipt',
    http: {
      method: 'POST',
      path: '/pos/receipts',
      success: 202,
      freeQueryPrefixes: ['property-', ...metadataNames.map((name) => name.replaceAll('_', '-'))],
      freeHeaderPrefixes: ['service-'],
      freeParameters: [
        ...freeParameters(),
        {
          in: 'header',
          name: 'service-attachment-id',
          description:
            '`<attachment_id>; label=<label>`; may be repeated, or hold several, separated by commas.',
          schema: { type: 'string' },
        },
      ],
    },
    query: z.object({ free: freePairs() }),
    headers: z.object({ free: freePairs() }),
    body: bytes('body'),
    meta: z.object({ id: z.string() }),
    errors: [schemaValidationFailed, unknownAttachment, duplicateExternalId],
  },
  {
    answer: ({ id }) => ({ headers: { location: `/receipts/${id}` } }),
    verify({ query, headers, body }) {
      readPacketFacts(query.free, headers.free);
      if (body.length > 0) return;
      throw new ServiceError(schemaValidationFailed, {
        errors: [{ path: '', code: 'required', message: 'the receipt is empty' }],
      });
    },
    consumerOf: ({ query, headers }) => readPacketFacts(query.free, headers.free).metadata.identifier,
    confirmed({ query, headers }) {
      const { metadata, attachments } = readPacketFacts(query.free, headers.free);
      return metadata.external_id === undefined && attachments.length === 0;
    },
  },
);
