import { createHash, timingSafeEqual } from 'node:crypto';
import type { Authentication, PortalLanguage } from '@receipts/contracts';
import { serviceCall, type Call } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { passwordResetEvent, portalUserUpdatedEvent } from './registry/domain/events';
import {
  checkResetsLeft,
  isResetValid,
  withNotifications,
  withPassword,
  withReset,
  type PortalUserRecord,
} from './registry/domain/portal-user';
import type { Registry } from './registry/open-registry';
import { openUnsubscribing } from './registry/unsubscribing';

export { groupPermissions, groupStores, userPermissions, userStores } from './registry/domain/portal-group';
export { hasReference } from './registry/domain/store';
export type { PortalUserRecord };

const digestOf = (text: string) => createHash('sha256').update(text).digest();

interface RecordPage {
  readonly older: number | undefined;
  readonly count: number;
}

/**
 * The door through which the portal, which runs in the same process, reads and changes records of the registry. A page
 * that asked for them by contract would wait for the broker several times, and could not be shown without it.
 */
export class RegistryRecords {
  constructor(private readonly registry: Registry) {}

  findRetailer(id: string, signal: AbortSignal) {
    return this.registry.retailers.find(id, signal);
  }

  /** The clients with one way of authentication, newest first. */
  listClients(retailer: string, authentication: Authentication, page: RecordPage, signal: AbortSignal) {
    return this.registry.clients.newest({ retailer, authentication }, page.older, page.count, signal);
  }

  /** The latest calls of a client, newest first. */
  callsOf(retailer: string, client: string, signal: AbortSignal) {
    return this.registry.clientCalls.of(retailer, client, signal);
  }

  findUser(email: string, signal: AbortSignal): Promise<PortalUserRecord | undefined> {
    return this.registry.portalUsers.find(email, signal);
  }

  findUserById(retailer: string, id: number, signal: AbortSignal): Promise<PortalUserRecord | undefined> {
    return this.registry.portalUsers.findById(retailer, id, signal);
  }

  /** The portal users of a retailer, newest first. */
  listUsers(retailer: string, page: RecordPage, signal: AbortSignal): Promise<PortalUserRecord[]> {
    return this.registry.portalUsers.newest({ retailer }, page.older, page.count, signal);
  }

  /** The user whose latest reset has this link; undefined for any other link. */
  async findUserByReset(token: string, call: Call): Promise<PortalUserRecord | undefined> {
    const [id = '', secret = ''] = token.split('.');
    if (id === '' || secret === '') return undefined;
    const { portalUsers, sealer, now } = this.registry;
    const user = await portalUsers.findByReset(id, deadlineSignal(call));
    if (!user?.reset || !isResetValid(user.reset, now())) return undefined;
    const isRight = timingSafeEqual(digestOf(secret), digestOf(sealer.open(user.reset.secret)));
    return isRight ? user : undefined;
  }

  /** The user whose e-mails have this link for stopping them. */
  async findUserByUnsubscribing(token: string, call: Call): Promise<PortalUserRecord | undefined> {
    const { portalUsers, sealer } = this.registry;
    const linked = openUnsubscribing(sealer, token);
    return linked && portalUsers.findById(linked.retailer, linked.id, deadlineSignal(call));
  }

  /** False if the reset has been used, or another was requested, since the user was read. */
  async setPassword(user: PortalUserRecord, hash: string, call: Call): Promise<boolean> {
    const update = (current: PortalUserRecord) =>
      current.reset?.id === user.reset?.id ? withPassword(current, hash) : current;
    return (await this.change(user, update, portalUserUpdatedEvent, call))?.password === hash;
  }

  /**
   * Sends a link for setting a password, if there is an active user with this address.
   * @throws ServiceError 429 if there were too many resets within an hour
   */
  async requestReset(email: string, language: PortalLanguage, cause: Call): Promise<void> {
    const { portalUsers, newReset, now } = this.registry;
    const at = now();
    const call = { ...serviceCall('admin', at.getTime()), requestId: cause.requestId };
    const user = await portalUsers.find(email, deadlineSignal(call));
    if (!user || user.status !== 'active') return;
    const reset = { ...newReset(), language };
    const update = (current: PortalUserRecord) => {
      checkResetsLeft(current, at);
      return withReset(current, reset, at, false);
    };
    await this.change(user, update, passwordResetEvent, call);
  }

  /** @param notifications the e-mails about the business that the user gets; null for none */
  async setNotifications(
    user: PortalUserRecord,
    notifications: Parameters<typeof withNotifications>[1],
    call: Call,
  ): Promise<void> {
    const update = (current: PortalUserRecord) => withNotifications(current, notifications);
    await this.change(user, update, portalUserUpdatedEvent, call);
  }

  private change(
    { retailer, email }: PortalUserRecord,
    update: (current: PortalUserRecord) => PortalUserRecord,
    eventOf: typeof portalUserUpdatedEvent | typeof passwordResetEvent,
    call: Call,
  ): Promise<PortalUserRecord | undefined> {
    const { portalUsers, now } = this.registry;
    const at = now();
    const cause = { callId: call.id, signal: deadlineSignal(call) };
    return portalUsers.change(retailer, email, update, (next) => eventOf(next, call, at), cause);
  }
}
