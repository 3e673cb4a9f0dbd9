import type { Portal } from './open-portal';
import { holdsPermission, type Retailer } from '@receipts/contracts';
import { delegatedCall, derivedId, permissionDenied, ServiceError, type Call } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { userPermissions, userStores } from '../registry-records';
import type { PortalUserRecord } from '../registry-records';
import type { PortalSessionDocument } from './storage/portal-sessions';
import type { Language } from '../pages/language';
import { requestLanguage, type SentHeaders } from './language-switch';

/** The signed-in user. */
export interface SignedIn {
  readonly user: PortalUserRecord;
  readonly retailer: Pick<Retailer, 'id' | 'name' | 'settings'>;
  readonly session: Pick<PortalSessionDocument, 'csrf'>;
  readonly language: Language;
  /** The public path prefix before `/portal`. */
  readonly base: string;
  /** The references of the stores that the user may see; undefined for all. */
  readonly stores: readonly string[] | undefined;
  readonly may: (permission: string) => boolean;
  /**
   * The call metadata for requests on behalf of the retailer and this user. Its id is the same if the request of the user
   * is executed again, so that services recognize a repetition. Several requests of the same contract need ids of their own.
   */
  readonly call: Call;
  /** For calls that grant permissions: at most those of the user. */
  readonly granting: Call;
}

/** Undefined if no user is signed in, or the user has been removed. */
export async function signedIn(
  deps: Portal,
  headers: SentHeaders,
  call: Call,
): Promise<SignedIn | undefined> {
  const token = deps.cookie.read(headers.cookie);
  if (token === undefined) return undefined;
  const signal = deadlineSignal(call);
  const now = deps.now();
  const session = await deps.portalSessions.find(token, now, signal);
  if (!session) return undefined;
  await deps.portalSessions.extend(session, now, signal);
  const [user, retailer] = await Promise.all([
    deps.records.findUser(session.email, signal),
    deps.records.findRetailer(session.retailer, signal),
  ]);
  if (!user || !retailer || user.retailer !== session.retailer || user.status !== 'active') return undefined;
  const permissions = userPermissions(user, retailer.settings);
  const stores = userStores(user, retailer.settings);
  const may = (permission: string) => holdsPermission(permissions, permission);
  const id = `portal-user:${user.id}`;
  const inner: Call = {
    ...delegatedCall('admin', call, now.getTime()),
    id: derivedId(call.id, `${call.id}/portal`),
    retailer: user.retailer,
    principal: { kind: 'service', id },
    ...(stores && { stores }),
  };
  const granting: Call = { ...inner, principal: { kind: 'client', id }, permissions };
  const language = requestLanguage(deps, headers, retailer.settings.locale);
  return { user, retailer, session, language, base: deps.base, stores, may, call: inner, granting };
}

/** @throws ServiceError 403 */
export function checkPermission(who: SignedIn, permission: string): void {
  if (who.may(permission)) return;
  const description = who.language.t('fault.permission', { permission });
  throw new ServiceError(permissionDenied, { description });
}
