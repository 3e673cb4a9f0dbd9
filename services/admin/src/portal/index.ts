import type { portalContracts } from '@receipts/contracts';
import type { Handlers } from '@receipts/kernel';
import { portalPassword, portalPasswordPage } from './choose-password';
import { portalForgotten, portalForgottenPage } from './forgotten';
import { portalHome, portalRoot } from './home';
import { portalReceipt } from './receipt';
import { portalAssign, portalSend } from './receipt-forms';
import { portalSignIn, portalSignInPage, portalSignOut } from './sign-in';
import type { PortalDeps } from './signed-in';

/** All pages and forms of the portal. */
export function portalHandlers(deps: PortalDeps): Handlers<typeof portalContracts> {
  return {
    portalRoot: portalRoot(),
    portalHome: portalHome(deps),
    portalSignInPage: portalSignInPage(deps),
    portalSignIn: portalSignIn(deps),
    portalSignOut: portalSignOut(deps),
    portalForgottenPage: portalForgottenPage(deps),
    portalForgotten: portalForgotten(deps),
    portalPasswordPage: portalPasswordPage(deps),
    portalPassword: portalPassword(deps),
    portalReceipt: portalReceipt(deps),
    portalSend: portalSend(deps),
    portalAssign: portalAssign(deps),
  };
}
