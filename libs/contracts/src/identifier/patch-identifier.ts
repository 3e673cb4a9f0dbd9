import {
  concurrentWrite,
  defineCommand,
  fieldNotModifiable,
  jsonVariants,
  malformedPatch,
  patchNotApplicable,
  patchTestFailed,
  preconditionFailed,
} from '@receipts/kernel';
import { z } from 'zod';
import { ifMatchHeaders } from '../shared/fields';
import { identifierNotFound, patchedProperties } from './identifier';

/** Updates a consumer's data: back offices change addresses, links in e-mails change opt-out tags. */
export const patchIdentifier = defineCommand(
  {
    name: 'identifier.patch-identifier',
    summary: 'Patch an identifier',
    description:
      'A JSON Patch (RFC 6902) of the identifier as GET returns it, applied all or nothing. It may change `/properties` and ' +
      'below; it may test and copy whatever can be read. With `If-Match` the patch is applied only to that version. Deprecated: ' +
      '`application/json` with `{properties}`, whose members are set as they are; `opt-out` sets the opt-out tags, `opt-out+=` ' +
      'adds some and `opt-out-=` takes some away.',
    permission: 'view.patch_identifier',
    http: { method: 'PATCH', path: '/identifiers/{identifier}', success: 204 },
    params: z.object({ identifier: z.string() }),
    headers: ifMatchHeaders,
    // The service validates the patch document, because its errors have codes of their own (400 `malformed_patch` and
    // others).
    body: jsonVariants({
      'application/json-patch+json': z.unknown(),
      'application/json': z.strictObject({ properties: patchedProperties }),
    }),
    meta: z.object({ version: z.int() }),
    errors: [
      identifierNotFound,
      malformedPatch,
      patchNotApplicable,
      fieldNotModifiable,
      patchTestFailed,
      preconditionFailed,
      concurrentWrite,
    ],
    examples: {
      request: [
        { op: 'add', path: '/properties/opt-out/-', value: 'receipts' },
        { op: 'remove', path: '/properties/phone' },
      ],
    },
  },
  { answer: ({ version }) => ({ headers: { etag: `"${version}"` } }) },
);
