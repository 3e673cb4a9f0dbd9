import type { Sealer } from '@receipts/host';
import type { Log } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import type { Database } from '@receipts/storage';
import { sessionCookie } from '../pages/cookies';
import type { IdentityProviderSettings } from '../pages/oidc/identity-providers';
import { ProviderSignIn } from '../pages/oidc/provider-sign-in';
import { Sessions } from '../pages/storage/sessions';
import type { RegistryRecords } from '../registry-records';
import { Logos, logosDeclaration, type LogoDocument } from './storage/logos';
import {
  portalSessionLimits,
  portalSessionsDeclaration,
  type PortalSessionDocument,
} from './storage/portal-sessions';
import {
  PortalSignIns,
  portalSignInsDeclaration,
  type PortalSignInDocument,
} from './storage/portal-sign-ins';
import { SecondFactors, secondFactorsDeclaration, type SecondFactorDocument } from './storage/second-factors';
import { SavedSearches, savedSearchesDeclaration, type SavedSearchDocument } from './storage/saved-searches';

const cookie = { name: 'portal', sameSite: 'Lax', ageSeconds: portalSessionLimits.lifeMs / 1000 } as const;
const languageCookie = { name: 'portal-language', sameSite: 'Lax', ageSeconds: 365 * 86_400 } as const;

export interface PortalDependencies {
  readonly database: Database;
  readonly records: RegistryRecords;
  readonly ask: Broker['ask'];
  readonly sealer: Sealer;
  readonly log: Log;
  /** The public URL of the platform, without a trailing slash. */
  readonly publicUrl: string;
  readonly now: () => Date;
  readonly identityProviders?: IdentityProviderSettings | undefined;
}

/** What the browser keeps while it is at the identity provider. */
interface PortalSignInFacts {
  readonly retailer: string;
  /** The page to show afterwards. */
  readonly next?: string | undefined;
}

/** The pages on which a retailer's staff find, send and assign receipts. */
export async function openPortal(deps: PortalDependencies) {
  const { database, records, ask, sealer, log, publicUrl, now, identityProviders: providers = {} } = deps;
  return {
    records,
    sealer,
    publicUrl,
    ask,
    log,
    now,
    portalSessions: new Sessions(
      await database.collection<PortalSessionDocument>(portalSessionsDeclaration),
      portalSessionLimits,
    ),
    portalSignIns: new PortalSignIns(
      await database.collection<PortalSignInDocument>(portalSignInsDeclaration),
    ),
    secondFactors: new SecondFactors(
      await database.collection<SecondFactorDocument>(secondFactorsDeclaration),
    ),
    providerSignIn: new ProviderSignIn<PortalSignInFacts>({ ...deps, area: 'portal', providers }),
    searches: new SavedSearches(await database.collection<SavedSearchDocument>(savedSearchesDeclaration)),
    logos: new Logos(await database.collection<LogoDocument>(logosDeclaration)),
    cookie: sessionCookie(publicUrl, cookie),
    languageCookie: sessionCookie(publicUrl, languageCookie),
    /** The public path prefix before `/portal`. */
    base: new URL(publicUrl).pathname.replace(/\/$/, ''),
  };
}

export type Portal = Awaited<ReturnType<typeof openPortal>>;

export type { HandlerOf } from '../handler-of';
