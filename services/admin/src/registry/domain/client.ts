import {
  signatureMaxAgeSecondsMax,
  strongerClient,
  type Authentication,
  type Client,
  type ClientPatch,
  type PostedClient,
} from '@receipts/contracts';
import {
  mustBeAtLeast,
  schemaValidationFailed,
  ServiceError,
  wording,
  type FieldFault,
} from '@receipts/kernel';
import { checkGranted, mustNameConsumer, type Grants } from './grants';

/** A stored client. The secret is encrypted. */
export interface ClientRecord {
  readonly retailer: string;
  readonly id: number;
  readonly authentication: Authentication;
  readonly description: string;
  readonly key: string;
  readonly secret: string;
  readonly permissions: readonly string[];
  readonly revoked: boolean;
  /** Seconds; null for bearer clients. */
  readonly signature_max_age: number | null;
  readonly settings: Client['settings'];
  readonly revoked_tokens: readonly RevokedToken[];
  /** Epoch seconds. */
  readonly tokens_revoked_before: number | null;
  readonly version: number;
}

interface RevokedToken {
  readonly jti: string;
  /** The time after which the token need not be stored because it has long expired; null if this is unknown. */
  readonly until: Date | null;
}

/** The minimum length of secrets in bytes: RFC 7518 section 3.2 requires 32 for HS256; URL signatures are short-lived. */
const secretBytesMin: Readonly<Record<Authentication, number>> = { bearer: 32, hmac: 16 };

export function isAuthentication(text: string): text is Authentication {
  return Object.hasOwn(secretBytesMin, text);
}

/** The id in a path; undefined for an invalid id. */
export function clientIdOf(text: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}

/**
 * @throws ServiceError 403: a caller must not change a client with more permissions or less restriction than its own,
 * because the client's secret or a token would allow it to do everything that the client can
 */
export function checkNotStronger(grants: Grants, client: ClientRecord): void {
  checkGranted(grants, client.permissions, strongerClient);
  if (grants.consumerRequired && client.settings.consumer_required !== true) throw mustNameConsumer();
}

/** @throws ServiceError 403 if a caller that must name a consumer creates a client without this restriction */
function settingsGranted(grants: Grants, settings: Client['settings']): Client['settings'] {
  if (!grants.consumerRequired) return settings;
  if (settings.consumer_required === false) throw mustNameConsumer();
  return { ...settings, consumer_required: true };
}

function secretFault(authentication: Authentication, secret: string | undefined): FieldFault[] {
  if (secret === undefined) return [];
  const bytes = Buffer.from(secret, 'base64');
  const min = secretBytesMin[authentication];
  if (bytes.toString('base64') !== secret) {
    return [{ path: '/secret', code: 'invalid_format', message: wording.base64 }];
  }
  if (bytes.length >= min) return [];
  return [{ path: '/secret', code: 'too_small', message: mustBeAtLeast(min, 'file') }];
}

/** @throws ServiceError 422 for errors that the schema cannot detect, as it does not know the authentication */
function checkFor(
  authentication: Authentication,
  body: { readonly secret?: string | undefined; readonly signature_max_age?: number | undefined },
): void {
  const errors = secretFault(authentication, body.secret);
  if (authentication === 'bearer' && body.signature_max_age !== undefined) {
    const message = 'is only for clients that sign URLs';
    errors.push({ path: '/signature_max_age', code: 'not_applicable', message });
  }
  if (errors.length > 0) throw new ServiceError(schemaValidationFailed, { errors });
}

/** A client without an id, and with its secret in plain text. */
export type NewClient = Omit<ClientRecord, 'id'>;

/**
 * @param held the caller's permissions and restriction
 * @param generated used if the body has no key or secret; the secret is in base64
 * @returns the client with its secret in plain text
 * @throws ServiceError 403 if the caller grants more than it holds, 422
 */
export function newClient(
  retailer: string,
  authentication: Authentication,
  body: PostedClient,
  grants: Grants,
  generated: { readonly key: string; readonly secret: string },
): NewClient {
  checkFor(authentication, body);
  checkGranted(grants, body.permissions);
  const maxAge = body.signature_max_age ?? signatureMaxAgeSecondsMax;
  return {
    retailer,
    authentication,
    description: body.description,
    key: body.key ?? generated.key,
    secret: body.secret ?? generated.secret,
    permissions: [...new Set(body.permissions)],
    revoked: body.revoked ?? false,
    signature_max_age: authentication === 'hmac' ? maxAge : null,
    settings: settingsGranted(grants, body.settings ?? {}),
    revoked_tokens: [],
    tokens_revoked_before: null,
    version: 1,
  };
}

function permissionsAfter(current: readonly string[], patch: ClientPatch): readonly string[] {
  const { permissions, 'permissions+=': added, 'permissions-=': removed } = patch;
  if (permissions) return [...new Set(permissions)];
  if (added) return [...new Set([...current, ...added])];
  return removed ? current.filter((name) => !removed.includes(name)) : current;
}

/**
 * @returns the same object if nothing changes
 * @throws ServiceError 403, 422
 */
export function patchClient(current: ClientRecord, patch: ClientPatch, grants: Grants): ClientRecord {
  checkNotStronger(grants, current);
  checkFor(current.authentication, patch);
  const permissions = permissionsAfter(current.permissions, patch);
  checkGranted(grants, permissions);
  return changedClient(current, {
    permissions,
    description: patch.description ?? current.description,
    revoked: patch.revoked ?? current.revoked,
    key: patch.key ?? current.key,
    signature_max_age: patch.signature_max_age ?? current.signature_max_age,
    settings: settingsGranted(grants, { ...current.settings, ...patch.settings }),
  });
}

/** The next version of a client, or the same object if nothing has changed. */
export function changedClient(current: ClientRecord, fields: Partial<ClientRecord>): ClientRecord {
  const next = { ...current, ...fields };
  if (JSON.stringify(next) === JSON.stringify(current)) return current;
  return { ...next, version: current.version + 1 };
}

/** The client as returned, without its secret. */
export function clientOf(record: ClientRecord): Client {
  const { id, description, key, permissions, revoked, signature_max_age: maxAge, settings } = record;
  return {
    description,
    id,
    key,
    permissions: [...permissions],
    revoked,
    ...(maxAge !== null && { signature_max_age: maxAge }),
    settings,
  };
}
