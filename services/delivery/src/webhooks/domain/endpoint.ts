import type { PostedWebhookEndpoint, WebhookEndpoint, WebhookEndpointSettings } from '@receipts/contracts';
import { timestampOf } from '@receipts/kernel';

/** A secret as stored: encrypted with the master key. */
export interface SealedSecret {
  readonly sealed: string;
  /** The time until which messages are also signed with this secret; null for the current secret. */
  readonly until: Date | null;
}

export type DisabledReason = NonNullable<WebhookEndpoint['disabled_reason']>;

export interface EndpointRecord {
  readonly id: string;
  readonly retailer: string;
  readonly settings: WebhookEndpointSettings;
  /** The current secret first. */
  readonly secrets: readonly SealedSecret[];
  /** The id of the call that created the current secret, if that was a rotation. */
  readonly rotatedBy?: string;
  readonly disabledReason: DisabledReason | null;
  /**
   * The number in the retailer's log up to which deliveries to this endpoint have been created. It begins at the last
   * event before the endpoint.
   */
  readonly readUpTo: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly version: number;
}

/** How long messages are also signed with the previous secret. */
export const rotationMs = 24 * 60 * 60_000;
const secretsMax = 5;

export function settingsOf(posted: PostedWebhookEndpoint): WebhookEndpointSettings {
  return {
    url: posted.url,
    description: posted.description ?? null,
    event_types: posted.event_types ?? ['*'],
    filter: posted.filter ?? null,
    payload: posted.payload ?? 'thin',
    ordering: posted.ordering ?? 'none',
    enabled: posted.enabled ?? true,
  };
}

export function newEndpoint(
  facts: Pick<EndpointRecord, 'id' | 'retailer' | 'readUpTo'> & { readonly sealedSecret: string },
  posted: PostedWebhookEndpoint,
  now: Date,
): EndpointRecord {
  return {
    id: facts.id,
    retailer: facts.retailer,
    settings: settingsOf(posted),
    secrets: [{ sealed: facts.sealedSecret, until: null }],
    disabledReason: null,
    readUpTo: facts.readUpTo,
    createdAt: now,
    updatedAt: now,
    version: 1,
  };
}

/** @returns the same object if nothing changes */
export function withSettings(
  current: EndpointRecord,
  settings: WebhookEndpointSettings,
  now: Date,
): EndpointRecord {
  if (JSON.stringify(settings) === JSON.stringify(current.settings)) return current;
  const disabledReason = settings.enabled ? null : current.disabledReason;
  return { ...current, settings, disabledReason, updatedAt: now };
}

export function disabled(current: EndpointRecord, reason: DisabledReason, now: Date): EndpointRecord {
  if (!current.settings.enabled) return current;
  const settings = { ...current.settings, enabled: false };
  return { ...current, settings, disabledReason: reason, updatedAt: now };
}

/**
 * The new secret signs first. The previous secret signs for another day, even after further rotations, unless there are
 * too many secrets. Retrying the same call has no effect.
 */
export function withNewSecret(
  current: EndpointRecord,
  sealed: string,
  callId: string,
  now: Date,
): EndpointRecord {
  if (current.rotatedBy === callId) return current;
  const until = new Date(now.getTime() + rotationMs);
  const older = signingSecrets(current, now).map((secret) => ({ ...secret, until: secret.until ?? until }));
  const secrets = [{ sealed, until: null }, ...older].slice(0, secretsMax);
  return { ...current, secrets, rotatedBy: callId, updatedAt: now };
}

export function signingSecrets({ secrets }: EndpointRecord, now: Date): readonly SealedSecret[] {
  return secrets.filter(({ until }) => until === null || until > now);
}

export function endpointOf(record: EndpointRecord, failingSince: Date | null): WebhookEndpoint {
  const { id, settings, disabledReason, createdAt, updatedAt } = record;
  return {
    id,
    ...settings,
    disabled_reason: disabledReason,
    failing_since: failingSince && timestampOf(failingSince),
    created_timestamp: timestampOf(createdAt),
    updated_timestamp: timestampOf(updatedAt),
  };
}
