import { z } from 'zod';
import { authentications } from '../shared/authentications';
import { characters } from '../shared/characters';
import { prettyMember, timestampField } from '../shared/fields';
import { returnedLike } from '../shared/returned-like';
import { permissionsField } from './permissions';

/** The maximum validity of a URL signature (docs/interface.md, "URL signatures"). */
export const signatureMaxAgeSecondsMax = 86_400;

/** Settings of a client that change the responses of endpoints. */
export const clientSettings = z
  .strictObject({
    consumer_required: z
      .boolean()
      .optional()
      .describe(
        'Whether the client must specify `consumer` when it lists, searches or reads receipts. Defaults to `false`.',
      ),
    assign_returns_receipt: z
      .boolean()
      .optional()
      .describe(
        'Whether `POST /receipts/_assign` returns 200 with the receipt instead of 204. Defaults to `false`.',
      ),
  })
  .describe('Settings that change how endpoints respond to the client.');

export const postedClient = z.strictObject({
  pretty: prettyMember,
  permissions: permissionsField.describe(
    'The permissions of the client, such as `view.get_receipt`. `view.*` grants all permissions.',
  ),
  description: characters(1, 255).describe('A note that helps you tell your clients apart.'),
  revoked: z
    .boolean()
    .describe('Whether the client is revoked. All tokens and signatures of a revoked client are rejected.')
    .optional(),
  key: z
    .string()
    .length(20)
    .regex(/^[A-Za-z0-9_-]*$/, { error: 'must have only letters, digits, "_" and "-"' })
    .describe(
      'The access key: the parameter `key` of URL signatures, or the `kid` of tokens. Unique across all retailers.',
    )
    .optional(),
  secret: z
    .string()
    .max(1024)
    .optional()
    .describe('The shared secret in base64. Generated if it is missing.'),
  signature_max_age: z
    .int()
    .min(1)
    .max(signatureMaxAgeSecondsMax)
    .describe(
      'The maximum time until a URL signature expires, in seconds. Only for `hmac` clients. Defaults to 86400.',
    )
    .optional(),
  settings: clientSettings.optional(),
});
export type PostedClient = z.output<typeof postedClient>;

/** A client as returned by GET, without its secret. */
export const client = returnedLike(postedClient, {
  description: z.string(),
  id: z.int().describe('The id of the client, unique among those with the same authentication.'),
  key: z.string(),
  permissions: z.array(z.string()),
  revoked: z.boolean(),
  signature_max_age: z.int().optional(),
  settings: clientSettings,
});
export type Client = z.output<typeof client>;

/** A credential is returned only once: null if the request is a retry with the same idempotency key. */
export const secretToldOnce = z.string().nullable();

export const createdClient = client.extend({
  secret: secretToldOnce.describe(
    'The shared secret in base64, returned only once; `null` if the request is a retry with the same `Idempotency-Key`.',
  ),
});
export const clientWithSecret = client.extend({
  secret: z.string().describe('The shared secret of the client in base64.'),
});

/**
 * A credential with everything the gateway needs for authentication. `key` is the `kid` of a bearer token or the access
 * key of a URL signature; it is unique across both kinds and all retailers. `secret` is encrypted with the master key.
 */
export const credential = z.object({
  retailer: z.string(),
  authentication: z.enum(authentications),
  id: z.int(),
  key: z.string(),
  version: z.int(),
  secret: z.string(),
  permissions: z.array(z.string()),
  revoked: z.boolean(),
  /** The maximum time in seconds until a URL signature expires; null for bearer clients. */
  signature_max_age: z.int().nullable(),
  settings: clientSettings,
  /** The `jti` of tokens that were revoked individually. */
  revoked_tokens: z.array(z.string()),
  /** Tokens with a smaller or missing `iat` are revoked. Epoch seconds; null if tokens were never revoked this way. */
  tokens_revoked_before: z.int().nullable(),
});
export type Credential = z.output<typeof credential>;

/** The service validates the authentication and the id, because an unknown or invalid value causes 404, not 400. */
export const authenticationParams = z.object({
  authentication: z
    .string()
    .max(100)
    .meta({
      enum: [...authentications],
      description: 'How the client authenticates: `bearer` tokens or `hmac` URL signatures.',
    }),
});
export const tokenId = z.string().describe('The id of the token (its `jti` claim).');
export const tokenExpiry = timestampField
  .nullable()
  .describe('When the token expires; `null` if it does not expire.');

const clientId = z
  .string()
  .max(100)
  .meta({ type: 'integer', description: 'The id of the client.', examples: [1] });
export const clientParams = authenticationParams.extend({ client_id: clientId });
export const tokenParams = z.object({ client_id: clientId });

export const clientNotFound = { status: 404, code: 'not_found', description: 'client not found' };
export const clientKeyExists = {
  status: 409,
  code: 'client_key_exists',
  description: 'a client with this key already exists',
};
export const notGranted = {
  status: 403,
  code: 'permission_denied',
  description: 'permission denied: a client cannot grant permissions that it does not hold',
};
export const strongerClient = {
  status: 403,
  code: 'permission_denied',
  description: 'permission denied: the client holds permissions that the caller does not hold',
};
export const clientIsRevoked = {
  status: 422,
  code: 'client_revoked',
  description: 'the client is revoked',
};
