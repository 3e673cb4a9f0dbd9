import { portalAccount, portalAccountForm } from './portal/access/account';
import { portalBrand, portalBrandForm } from './portal/brand/brand';
import { portalChecks } from './portal/checks';
import { portalPassword, portalPasswordPage } from './portal/choose-password';
import { portalForgotten, portalForgottenPage } from './portal/forgotten';
import { portalHome } from './portal/home';
import { portalClient, portalClientForm } from './portal/integration/client';
import { portalCreateClient, portalIntegration } from './portal/integration/clients';
import { portalLanguage } from './portal/language-switch';
import { portalMappings } from './portal/mappings/mappings';
import { portalPackets, portalReprocess } from './portal/mappings/packets';
import { portalTryMapping, portalWorkbench } from './portal/mappings/workbench';
import type { Portal } from './portal/open-portal';
import { portalOidc, portalOidcCallback } from './portal/access/oidc-pages';
import { portalReceipt } from './portal/receipt';
import { portalAssign, portalGift, portalSend, portalUnassign } from './portal/receipt-forms';
import { portalSignIn, portalSignInPage, portalSignOut } from './portal/access/sign-in';
import { portalSignInCode } from './portal/access/sign-in-code';
import { portalStart } from './portal/start';
import { portalTotals, portalTotalsCsv } from './portal/totals';
import { portalGroup, portalGroupForm } from './portal/users/group';
import { portalUser, portalUserForm } from './portal/users/user';
import { portalCreateUser, portalUsers } from './portal/users/users';
import { portalWebhook, portalWebhookForm } from './portal/webhooks/webhook';
import { portalWebhooks } from './portal/webhooks/webhooks';

export { openPortal } from './portal/open-portal';

/** The pages and forms of the portal. */
export const portalHandlers = (deps: Portal) => ({
  portalHome: portalHome(deps),
  portalStart: portalStart(deps),
  portalSignInPage: portalSignInPage(deps),
  portalSignIn: portalSignIn(deps),
  portalSignInCode: portalSignInCode(deps),
  portalOidc: portalOidc(deps),
  portalOidcCallback: portalOidcCallback(deps),
  portalAccount: portalAccount(deps),
  portalAccountForm: portalAccountForm(deps),
  portalSignOut: portalSignOut(deps),
  portalLanguage: portalLanguage(deps),
  portalForgottenPage: portalForgottenPage(deps),
  portalForgotten: portalForgotten(deps),
  portalPasswordPage: portalPasswordPage(deps),
  portalPassword: portalPassword(deps),
  portalReceipt: portalReceipt(deps),
  portalSend: portalSend(deps),
  portalAssign: portalAssign(deps),
  portalGift: portalGift(deps),
  portalUnassign: portalUnassign(deps),
  portalChecks: portalChecks(deps),
  portalTotals: portalTotals(deps),
  portalTotalsCsv: portalTotalsCsv(deps),
  portalPackets: portalPackets(deps),
  portalReprocess: portalReprocess(deps),
  portalMappings: portalMappings(deps),
  portalWorkbench: portalWorkbench(deps),
  portalTryMapping: portalTryMapping(deps),
  portalBrand: portalBrand(deps),
  portalBrandForm: portalBrandForm(deps),
  portalUsers: portalUsers(deps),
  portalCreateUser: portalCreateUser(deps),
  portalUser: portalUser(deps),
  portalUserForm: portalUserForm(deps),
  portalGroup: portalGroup(deps),
  portalGroupForm: portalGroupForm(deps),
  portalWebhooks: portalWebhooks(deps),
  portalWebhook: portalWebhook(deps),
  portalWebhookForm: portalWebhookForm(deps),
  portalIntegration: portalIntegration(deps),
  portalCreateClient: portalCreateClient(deps),
  portalClient: portalClient(deps),
  portalClientForm: portalClientForm(deps),
});
