import { adminEvents, type ClientEventData, type StoreRecord } from '@receipts/contracts';
import { eventOf, type Call, type SerializedEvent } from '@receipts/kernel';
import type { ClientRecord } from './client';
import type { PortalUserRecord } from './portal-user';
import { retailerOf, type RetailerRecord } from './retailer';

export function storeEvent(record: StoreRecord, call: Call, now: Date): SerializedEvent {
  const shape = record.version === 1 ? adminEvents.storeCreated : adminEvents.storeUpdated;
  const facts = { subject: String(record.id), sequence: record.version, data: record };
  return eventOf(shape, facts, call, now);
}

/** The operator's calls have no retailer; the event gets the retailer of its subject. */
export function retailerEvent(record: RetailerRecord, call: Call, now: Date): SerializedEvent {
  const facts = { subject: record.id, sequence: record.version, data: retailerOf(record) };
  return eventOf(adminEvents.retailerUpdated, facts, { ...call, retailer: record.id }, now);
}

function clientEventData(record: ClientRecord, before: ClientRecord | undefined): ClientEventData {
  const previousKey = before && before.key !== record.key ? before.key : null;
  return {
    id: record.id,
    authentication: record.authentication,
    description: record.description,
    key: record.key,
    previous_key: previousKey,
    permissions: [...record.permissions],
    revoked: record.revoked,
    signature_max_age: record.signature_max_age,
    settings: record.settings,
    version: record.version,
  };
}

/** @param before the client before the change; undefined for a new client */
export function clientEvent(
  record: ClientRecord,
  before: ClientRecord | undefined,
  call: Call,
  now: Date,
): SerializedEvent {
  const { clientCreated, clientRevoked, clientUpdated } = adminEvents;
  const isRevocation = before && record.revoked && !before.revoked;
  const shape = before === undefined ? clientCreated : isRevocation ? clientRevoked : clientUpdated;
  const facts = {
    subject: String(record.id),
    sequence: record.version,
    data: clientEventData(record, before),
  };
  return eventOf(shape, facts, { ...call, retailer: record.retailer }, now);
}

function portalUserFacts(record: PortalUserRecord, version: number) {
  const { id, email, group, stores, status, notifications } = record;
  return {
    subject: String(id),
    sequence: version,
    data: { id, email, group, stores: stores && [...stores], status, notifications, version },
  };
}

export function portalUserUpdatedEvent(record: PortalUserRecord, call: Call, now: Date): SerializedEvent {
  const facts = portalUserFacts(record, record.version);
  return eventOf(adminEvents.portalUserUpdated, facts, { ...call, retailer: record.retailer }, now);
}

export function passwordResetEvent(record: PortalUserRecord, call: Call, now: Date): SerializedEvent {
  const facts = portalUserFacts(record, record.version);
  const data = { ...facts.data, reset_id: record.reset?.id ?? '' };
  const cause = { ...call, retailer: record.retailer };
  return eventOf(adminEvents.passwordResetRequested, { ...facts, data }, cause, now);
}

/** The events of a new user: version 1 for its creation, version 2 for the invitation. */
export function portalUserEvents(record: PortalUserRecord, call: Call, now: Date): SerializedEvent[] {
  const cause = { ...call, retailer: record.retailer };
  const created = eventOf(adminEvents.portalUserCreated, portalUserFacts(record, 1), cause, now);
  return record.reset ? [created, passwordResetEvent(record, call, now)] : [created];
}
