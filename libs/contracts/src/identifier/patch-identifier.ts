import { defineCommand, jsonVariants, patchErrors } from '@receipts/kernel';
import { z } from 'zod';
import { ifMatchHeaders } from '../shared/fields';
import { identifierNotFound, identifierParams, patchedProperties } from './identifier';

/** Updates a consumer's data: back offices change addresses, links in e-mails change opt-out tags. */
export const patchIdentifier = defineCommand(
  {
    name: 'identifier.patch-identifier',
    summary: 'Patch an identifier',
    description:
      'Applies a JSON Patch (RFC 6902) to the identifier as GET returns it, completely or not at all. The patch can change `/properties` and everything ' +
      'below it, and can test and copy all members. Deprecated: `application/json` with `{properties}` sets individual properties; ' +
      '`opt-out+=` and `opt-out-=` add and remove opt-out tags.',
    permission: 'view.patch_identifier',
    forConsumers: 'confined',
    http: { method: 'PATCH', path: '/identifiers/{identifier}', success: 204 },
    params: identifierParams,
    headers: ifMatchHeaders,
    // The service validates the patch document, because patch errors have separate codes (400 `malformed_patch` and
    // others).
    body: jsonVariants({
      'application/json-patch+json': z.unknown(),
      'application/json': z.strictObject({ properties: patchedProperties }),
    }),
    meta: z.object({ version: z.int() }),
    errors: [identifierNotFound, ...patchErrors],
    examples: {
      request: [
        { op: 'add', path: '/properties/opt-out/-', value: 'receipts' },
        { op: 'remove', path: '/properties/phone' },
      ],
    },
  },
  { response: ({ version }) => ({ headers: { etag: `"${version}"` } }) },
);
