import { clientKeyExists, clientNotFound, type Authentication, type Credential } from '@receipts/contracts';
import { ServiceError, type SerializedEvent } from '@receipts/kernel';
import { isDuplicateKey, outboxIndex, type CollectionDeclaration } from '@receipts/storage';
import { clientIdOf, isAuthentication, type ClientRecord, type NewClient } from '../domain/client';
import { Aggregates, creatorIndex, idOf, type AggregateDocument, type Cause, type Shape } from './aggregates';

export interface ClientDocument extends AggregateDocument, Omit<ClientRecord, 'retailer' | 'version'> {}

export const clientsDeclaration: CollectionDeclaration = {
  name: 'clients',
  indexes: [
    // A request contains only the key, so keys are unique across retailers.
    { name: 'by_key', key: { key: 1 }, unique: true },
    { name: 'by_id', key: { retailer: 1, authentication: 1, id: -1 } },
    creatorIndex,
    outboxIndex,
  ],
};

const shape: Shape<ClientDocument, ClientRecord> = {
  documentOf: ({ version: _version, ...fields }) => fields,
  recordOf: ({ _id, outbox: _outbox, createdBy: _madeBy, changedBy: _changedBy, ...fields }) => fields,
};

export function credentialOf(record: ClientRecord): Credential {
  return {
    retailer: record.retailer,
    authentication: record.authentication,
    id: record.id,
    key: record.key,
    version: record.version,
    secret: record.secret,
    permissions: [...record.permissions],
    revoked: record.revoked,
    signature_max_age: record.signature_max_age,
    settings: record.settings,
    revoked_tokens: record.revoked_tokens.map(({ jti }) => jti),
    tokens_revoked_before: record.tokens_revoked_before,
  };
}

export class Clients extends Aggregates<ClientDocument, ClientRecord> {
  protected readonly shape = shape;
  protected override readonly taken = clientKeyExists;

  /**
   * @returns the new client, or the client that an earlier execution of the same call has created
   * @throws ServiceError 409 `client_key_exists`
   */
  async create(
    retailer: string,
    client: NewClient,
    eventOf: (record: ClientRecord) => SerializedEvent,
    cause: Cause,
  ): Promise<ClientRecord> {
    const { signal } = cause;
    const made = await this.createdBy(retailer, cause);
    if (made) return made;
    const taken = await this.collection.findOne({ key: client.key }, { projection: { _id: 1 }, signal });
    if (taken) return this.createdByOrRefuse(retailer, cause, clientKeyExists);
    const id = await this.counters.next(retailer, 'clients', signal);
    const record = { ...client, id };
    try {
      return await this.insert(idOf(retailer, id), record, [eventOf(record)], cause);
    } catch (error) {
      throw isDuplicateKey(error, 'by_key') ? new ServiceError(clientKeyExists) : error;
    }
  }

  async find(
    retailer: string,
    authentication: Authentication,
    id: number,
    signal: AbortSignal,
  ): Promise<ClientRecord | undefined> {
    const filter = { _id: idOf(retailer, id), retailer, authentication };
    return this.findBy(filter, signal);
  }

  /** Used by the gateway, which gets the retailer from the reply. */
  async credential(key: string, signal: AbortSignal): Promise<Credential | null> {
    const found = await this.collection.findOne({ key }, { signal });
    return found ? credentialOf(shape.recordOf(found)) : null;
  }
}

/**
 * The client in a path.
 * @throws ServiceError 404, even for an invalid authentication or id
 */
export async function namedClient(
  clients: Pick<Clients, 'find'>,
  retailer: string,
  authentication: string,
  idText: string,
  signal: AbortSignal,
): Promise<ClientRecord> {
  const id = clientIdOf(idText);
  const found =
    id !== undefined && isAuthentication(authentication)
      ? await clients.find(retailer, authentication, id, signal)
      : undefined;
  if (!found) throw new ServiceError(clientNotFound);
  return found;
}
