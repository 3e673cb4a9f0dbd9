import { portalChecks } from './checks';
import { portalPassword, portalPasswordPage } from './choose-password';
import { portalForgotten, portalForgottenPage } from './forgotten';
import { portalHome, portalRoot } from './home';
import { portalLanguage } from './language-switch';
import { portalReceipt } from './receipt';
import { portalAssign, portalSend, portalUnassign } from './receipt-forms';
import { portalSignIn, portalSignInPage, portalSignOut } from './sign-in';
import { portalStart } from './start';
import { portalTotals, portalTotalsCsv } from './totals';
import type { Portal } from './open-portal';

/** The pages and forms of the portal, except those of its mappings. */
export const portalHandlers = (deps: Portal) => ({
  portalRoot: portalRoot(),
  portalHome: portalHome(deps),
  portalStart: portalStart(deps),
  portalSignInPage: portalSignInPage(deps),
  portalSignIn: portalSignIn(deps),
  portalSignOut: portalSignOut(deps),
  portalLanguage: portalLanguage(deps),
  portalForgottenPage: portalForgottenPage(deps),
  portalForgotten: portalForgotten(deps),
  portalPasswordPage: portalPasswordPage(deps),
  portalPassword: portalPassword(deps),
  portalReceipt: portalReceipt(deps),
  portalSend: portalSend(deps),
  portalAssign: portalAssign(deps),
  portalUnassign: portalUnassign(deps),
  portalChecks: portalChecks(deps),
  portalTotals: portalTotals(deps),
  portalTotalsCsv: portalTotalsCsv(deps),
});
