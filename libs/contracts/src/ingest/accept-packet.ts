import { bytes, defineCommand, schemaValidationFailed, ServiceError } from '@receipts/kernel';
import { z } from 'zod';
import { duplicateExternalId, linkTaken, unknownLink } from '../receipt/errors';
import { unknownAttachment } from './attachment';
import { freePairs } from '../shared/query-parameters';
import { agentHeaders } from './agent-facts';
import { metadataNames, packetMetadata, readPacketFacts, type PacketFacts } from './packet-facts';

const metadataExamples: Readonly<Record<(typeof metadataNames)[number], string | number | undefined>> = {
  duplicate: undefined,
  external_id: '0f8fad5b-d9cb-469f-a165-70867728950e',
  transaction_id: '2026-03-14/17/4711',
  store_reference: '1',
  till_id: '3',
  till_uuid: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  till_sequence: 17,
  source_id: 'pos-4',
  identifier: 'jane@example.com',
  link: 'ahzT9pK3dXcQmB2L7fWyEo0R5sVgN8uHiJ4kZxCeDa',
  mapping: 'vendor-json',
};

const parameterTypes: Readonly<Record<string, string>> = { duplicate: 'boolean', till_sequence: 'integer' };

/** Each metadata field, as a query parameter and as a header. */
function freeParameters() {
  return metadataNames.flatMap((name) => {
    const schema = { type: parameterTypes[name] ?? 'string' };
    const description = packetMetadata.shape[name].description ?? '';
    const example = metadataExamples[name];
    const shown = { description, schema, ...(example !== undefined && { example }) };
    const header = `service-${name.replaceAll('_', '-')}`;
    return [
      { in: 'query' as const, name, ...shown },
      { in: 'header' as const, name: header, ...shown },
    ];
  });
}

const agentExamples: Readonly<Record<keyof typeof agentHeaders, string>> = {
  'service-agent-version': '1.0.0',
  'service-agent-waiting': '0',
  'service-agent-time': '2026-03-14T20:04:51+01:00',
};

/** Whether the response depends on what is stored, so that the till waits for ingest. */
const dependsOnStored = ({ metadata, attachments }: PacketFacts): boolean =>
  metadata.external_id !== undefined || metadata.link !== undefined || attachments.length > 0;

const agentParameters = () =>
  (Object.keys(agentHeaders) as (keyof typeof agentHeaders)[]).map((name) => ({
    in: 'header' as const,
    name,
    description: agentHeaders[name],
    example: agentExamples[name],
    schema: { type: 'string' },
  }));

/**
 * A till posts a packet in any format. The response waits only for the broker's confirm, and the id of the message
 * becomes the id of the receipt. If the response depends on stored data (external id, link, idempotency key, attachments),
 * the till waits for ingest instead.
 */
export const acceptPacket = defineCommand(
  {
    name: 'ingest.accept-packet',
    summary: 'Post a raw receipt',
    description:
      'Accepts a raw receipt in any format and converts it asynchronously with a mapping that you have set up in advance. ' +
      'The header `Location` contains the URL of the future receipt. Query parameters `property-<name>` and headers `service-property-<name>` are stored as free-form properties. Names are case-insensitive, and `-` is equivalent to `_`. Headers take precedence over query parameters, and the first of several values takes precedence over the others. ' +
      'A credential that is restricted to consumers must send one of these consumers as `identifier`.',
    permission: 'view.post_pos_receipt',
    forConsumers: 'confined',
    http: {
      method: 'POST',
      path: '/pos/receipts',
      success: 202,
      freeQueryPrefixes: ['property-', ...metadataNames.map((name) => name.replaceAll('_', '-'))],
      freeHeaderPrefixes: ['service-'],
      freeParameters: [
        ...freeParameters(),
        ...agentParameters(),
        {
          in: 'header',
          name: 'service-attachment-id',
          description:
            'Links an attachment: `<attachment_id>; label=<label>`. The header may be repeated, or contain several links separated by commas.',
          schema: { type: 'string' },
          example: '6a1f3c2b9d4e5f60718293a4; label=guarantee',
        },
      ],
    },
    query: z.object({ free: freePairs() }),
    headers: z.object({ free: freePairs() }),
    body: bytes('body'),
    meta: z.object({ id: z.string() }),
    errors: [schemaValidationFailed, unknownAttachment, duplicateExternalId, linkTaken, unknownLink],
  },
  {
    response: ({ id }) => ({ headers: { location: `/receipts/${id}` } }),
    verify({ query, headers, body }) {
      readPacketFacts(query.free, headers.free);
      if (body.length > 0) return;
      throw new ServiceError(schemaValidationFailed, {
        errors: [{ path: '', code: 'required', message: 'the receipt is empty' }],
      });
    },
    consumerOf: ({ query, headers }) => readPacketFacts(query.free, headers.free).metadata.identifier,
    oneWay: ({ query, headers }) => !dependsOnStored(readPacketFacts(query.free, headers.free)),
  },
);
