import { checkedByOwner, defineCommand, defineQuery, formType, rawOutput } from '@receipts/kernel';
import { z } from 'zod';
import { processingPending, receiptDeletedError, receiptNotFound } from '../receipt/errors';
import { receiptParams } from '../receipt/receipt-links';
import { consumerParameter } from '../shared/fields';
import { publicRoute } from '../shared/public-route';
import { choice } from '../shared/query-parameters';
import { languageHeader, languageParameter, linkNotFound, privatePage, tokenParams } from './receipt-links';

/** The media type of a proof, a compact JWS (RFC 7515). */
const proofType = 'application/jose';
const proofFormats = [proofType] as const;
const proofHeaders = z.object({ accept: choice(proofFormats, 'The media type of the response.') });

export const proofPayload = z
  .object({
    iss: z.string().describe('The public URL of the platform that issued the proof.'),
    sub: z.string().describe('The id of the receipt that the proof describes.'),
    iat: z.int().describe('When the proof was issued, in seconds since 1970-01-01T00:00:00Z.'),
    retailer: z
      .object({
        name: z.string().describe('The name of the retailer.'),
        vatno: z.string().nullable().describe('The VAT number of the retailer.'),
      })
      .describe('The retailer that issued the receipt.'),
    transaction_id: z.string().describe("The retailer's number for the sale."),
    timestamp: z.string().describe('When the sale took place, in UTC.'),
    localtime: z.string().describe('When the sale took place, in its time zone.'),
    currency: z.string().describe('The currency of the receipt, ISO 4217.'),
    total: z.number().describe('The total of the receipt.'),
    taxes: z
      .array(
        z.object({
          name: z.string().describe('The name of the tax.'),
          rate: z.number().nullable().describe('The rate in percent.'),
          amount: z.number().describe('The amount of the tax.'),
        }),
      )
      .describe('The taxes on the whole receipt.'),
    items_count: z.int().describe('The number of items.'),
    store: z
      .object({
        name: z.string().nullable().describe('The name of the store.'),
        city: z.string().nullable().describe('The city of the store.'),
        country: z.string().nullable().describe('The country of the store.'),
      })
      .describe('The store of the sale.'),
    sha256: z
      .string()
      .describe('The SHA-256 digest of the canonical JSON (RFC 8785) of the receipt, in base64url.'),
  })
  .describe('The claims of the proof about its receipt.');
export type ProofPayload = z.output<typeof proofPayload>;

/** Signed by the platform, so that anyone can verify a receipt without contacting its retailer. */
export const getReceiptProof = defineQuery({
  name: 'delivery.get-receipt-proof',
  summary: 'Get the proof of a receipt',
  description:
    'Returns a compact JWS (ES256) about the receipt, which anyone can verify with the keys of `/.well-known/jwks.json`. ' +
    'Its `sha256` is the digest of the canonical JSON (RFC 8785) of the receipt as `GET /receipts/{id}` returns it. The proof stays the same until the receipt changes.',
  permission: 'view.get_receipt',
  forStores: 'confined',
  forConsumers: 'confined',
  http: {
    method: 'GET',
    path: '/receipts/{id}/proof',
    success: 200,
    consumerScoped: true,
    produces: proofFormats,
  },
  params: receiptParams,
  query: z.object({ consumer: consumerParameter }),
  headers: proofHeaders,
  output: rawOutput,
  meta: z.object({ contentType: z.string() }),
  errors: [receiptNotFound, processingPending, receiptDeletedError],
});

/** The receipt's page links here, because its reader has no credential. */
export const showReceiptProof = defineQuery(
  {
    name: 'delivery.show-receipt-proof',
    summary: 'Get the proof of a receipt through its link',
    description: "Returns the proof of the receipt as a file. The receipt's page links here.",
    http: {
      method: 'GET',
      path: '/r/{token}/proof',
      ...publicRoute,
      produces: proofFormats,
    },
    params: tokenParams,
    headers: proofHeaders,
    output: rawOutput,
    meta: z.object({ contentType: z.string() }),
    errors: [linkNotFound, receiptDeletedError, processingPending],
  },
  {
    response: () => ({
      headers: { ...privatePage, 'content-disposition': 'attachment; filename="receipt.jws"' },
    }),
  },
);

const publicKey = z.object({
  kty: z.literal('EC').describe('The type of the key.'),
  crv: z.literal('P-256').describe('The curve of the key.'),
  x: z.string().describe('The x coordinate of the key.'),
  y: z.string().describe('The y coordinate of the key.'),
  kid: z.string().describe('The id of the key, as in the header of a proof.'),
  alg: z.literal('ES256').describe('The algorithm of the key.'),
  use: z.literal('sig').describe('The use of the key: `sig`, for signatures.'),
});
export type PublicKey = z.output<typeof publicKey>;

/** The number of seconds for which a verifier may cache the keys. Verifiers fetch them again for an unknown `kid`. */
const keysMaxAge = 300;

export const listSigningKeys = defineQuery(
  {
    name: 'delivery.list-signing-keys',
    summary: 'List the public keys for proofs',
    description:
      'Returns the keys that verify proofs of receipts, as a JSON Web Key Set (RFC 7517), the current key first. Older keys remain, so that older proofs remain valid.',
    http: {
      method: 'GET',
      path: '/.well-known/jwks.json',
      ...publicRoute,
    },
    output: z.object({ keys: z.array(publicKey).describe('The public keys, the current key first.') }),
    meta: z.object({}),
  },
  { response: () => ({ headers: { 'cache-control': `public, max-age=${keysMaxAge}` } }) },
);

export const rotateSigningKeys = defineCommand({
  name: 'delivery.rotate-signing-keys',
  summary: 'Create a new key for proofs',
  description:
    'Creates the key that signs proofs from now on. Earlier keys are kept, so that earlier proofs remain valid.',
  http: {
    method: 'POST',
    path: '/operator/services/delivery/_rotate_keys',
    access: 'operator',
    success: 200,
  },
  output: z.object({ kid: z.string().describe('The id of the new key.') }),
});

const verifyFormats = ['text/html', 'application/json'] as const;
const verifyHeaders = z.object({
  accept: choice(verifyFormats, 'The media type of the response.'),
  'accept-language': languageHeader,
});
const verifyMeta = z.object({
  contentType: z.string(),
  language: z.string(),
  contentSecurityPolicy: z.string(),
});
const verifyResponse = {
  response: ({ language, contentSecurityPolicy }: z.input<typeof verifyMeta>) => ({
    headers: {
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-language': language,
      vary: 'accept, accept-language',
      'content-security-policy': contentSecurityPolicy,
    },
  }),
};

export const verification = z.object({
  valid: z.boolean().describe('Whether the proof is genuine and belongs to the receipt, if one was sent.'),
  reason: z
    .enum([
      'malformed',
      'unknown_key',
      'invalid_signature',
      'receipt_mismatch',
      'changed',
      'voided',
      'deleted',
    ])
    .optional()
    .describe('Why the proof is not valid, or why it is no longer current.'),
  payload: proofPayload.optional(),
  current: z
    .boolean()
    .nullable()
    .describe(
      'Whether the receipt has not been changed, voided or deleted since the proof was issued. `null` if the proof is not valid.',
    ),
});
export type Verification = z.output<typeof verification>;

export const showVerification = defineQuery(
  {
    name: 'delivery.show-verification',
    summary: 'Show the page that verifies proofs',
    description: 'Returns a page on which anyone can verify the proof of a receipt.',
    http: {
      method: 'GET',
      path: '/verify',
      ...publicRoute,
      produces: ['text/html'],
    },
    query: z.object({ lang: languageParameter }),
    headers: z.object({
      accept: choice(['text/html'], 'The media type of the response.'),
      'accept-language': languageHeader,
    }),
    output: rawOutput,
    meta: verifyMeta,
  },
  verifyResponse,
);

const formMembers = {
  proof: z.string().optional().describe('The proof, or JSON `{proof, receipt}`.'),
  receipt: z.string().optional().describe('The receipt as JSON.'),
};

/** Verifying changes nothing. It is a command because a receipt is too large for a query string. */
export const verifyProof = defineCommand(
  {
    name: 'delivery.verify-proof',
    summary: 'Verify the proof of a receipt',
    description:
      'Verifies a proof, and checks that it belongs to the receipt if one is sent with it. The response is a page, or JSON with `Accept: application/json`. The status is 200 even if the proof is not genuine. ' +
      'The response contains no personal data other than what was sent.',
    http: {
      method: 'POST',
      path: '/verify',
      ...publicRoute,
      produces: verifyFormats,
      producedJson: verification,
    },
    query: z.object({ lang: languageParameter }),
    headers: verifyHeaders,
    body: checkedByOwner('batch', {
      [proofType]: z.string().describe('The proof.'),
      'application/json': z.strictObject({
        proof: z.string().describe('The proof, a compact JWS.'),
        receipt: z.looseObject({}).optional().describe('The receipt as `GET /receipts/{id}` returns it.'),
      }),
      [formType]: z.object(formMembers),
      'multipart/form-data': z.object({
        ...formMembers,
        file: z
          .string()
          .optional()
          .describe(
            'A file with the proof, such as the PDF of the receipt, or with JSON `{proof, receipt}`.',
          ),
      }),
    }),
    output: rawOutput,
    meta: verifyMeta,
  },
  verifyResponse,
);
