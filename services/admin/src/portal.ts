import { unknownPage, withErrorShell } from './pages/error-shell';
import { portalAccount, portalAccountForm } from './portal/access/account';
import { portalBrand, portalBrandForm } from './portal/brand/brand';
import { showLogo } from './portal/brand/show-logo';
import { portalChecks } from './portal/receipts/checks';
import { portalPassword, portalPasswordPage } from './portal/choose-password';
import { portalForgotten, portalForgottenPage } from './portal/forgotten';
import { portalClient, portalClientForm } from './portal/integration/client';
import { portalCreateClient, portalIntegration } from './portal/integration/clients';
import { portalLanguage } from './portal/language-switch';
import { portalFrame } from './portal/layout';
import { portalMappings } from './portal/mappings/mappings';
import { portalPackets, portalReprocess } from './portal/mappings/packets';
import { portalReprocessedPackets, portalReprocessPackets } from './portal/mappings/reprocess-packets';
import { portalTryMapping, portalWorkbench } from './portal/mappings/workbench';
import type { Portal } from './portal/open-portal';
import { portalOidc, portalOidcCallback } from './portal/access/oidc-pages';
import { portalSignIn, portalSignInPage, portalSignOut } from './portal/access/sign-in';
import { portalSignInCode } from './portal/access/sign-in-code';
import { eraseSearches } from './portal/receipts/erase-searches';
import { portalReceipt } from './portal/receipts/receipt';
import { portalReceiptAction } from './portal/receipts/receipt-actions';
import { portalReturn, portalReturnPage } from './portal/receipts/return';
import { portalAssign, portalGift, portalSend, portalUnassign } from './portal/receipts/receipt-forms';
import { portalHome } from './portal/receipts/receipts';
import { portalReceiptsCsv } from './portal/receipts/receipts-csv';
import { portalSearches } from './portal/receipts/saved-searches';
import { portalSendReceipts, portalSentReceipts } from './portal/receipts/send-receipts';
import { portalStart } from './portal/start';
import { portalTills } from './portal/tills';
import { portalTotals, portalTotalsCsv } from './portal/totals';
import { portalGroup, portalGroupForm } from './portal/users/group';
import { portalNotifications, portalNotificationsForm } from './portal/users/notifications';
import { portalUnsubscribe, portalUnsubscribePage } from './portal/users/unsubscribe';
import { portalUser, portalUserForm } from './portal/users/user';
import { portalCreateUser, portalUsers } from './portal/users/users';
import { portalWebhook, portalWebhookForm } from './portal/webhooks/webhook';
import { portalWebhooks } from './portal/webhooks/webhooks';

export { openPortal } from './portal/open-portal';

/** The pages, forms and images for which nobody needs to be signed in. */
const publicHandlers = (deps: Portal) => ({
  portalSignInPage: portalSignInPage(deps),
  portalSignIn: portalSignIn(deps),
  portalSignInCode: portalSignInCode(deps),
  portalOidc: portalOidc(deps),
  portalOidcCallback: portalOidcCallback(deps),
  portalSignOut: portalSignOut(deps),
  portalLanguage: portalLanguage(deps),
  portalForgottenPage: portalForgottenPage(deps),
  portalForgotten: portalForgotten(deps),
  portalPasswordPage: portalPasswordPage(deps),
  portalPassword: portalPassword(deps),
  portalUnsubscribePage: portalUnsubscribePage(deps),
  portalUnsubscribe: portalUnsubscribe(deps),
  showLogo: showLogo(deps),
});

/** The pages and forms for users who are signed in. */
const userHandlers = (deps: Portal) => {
  const inShell = withErrorShell(portalFrame(deps));
  return {
    portalHome: inShell(portalHome(deps)),
    portalStart: inShell(portalStart(deps)),
    portalAccount: inShell(portalAccount(deps)),
    portalAccountForm: inShell(portalAccountForm(deps)),
    portalUnknown: inShell(unknownPage),
    portalReceiptsCsv: inShell(portalReceiptsCsv(deps)),
    portalSearches: inShell(portalSearches(deps)),
    portalSendReceipts: inShell(portalSendReceipts(deps)),
    portalSentReceipts: inShell(portalSentReceipts(deps)),
    portalReceipt: inShell(portalReceipt(deps)),
    portalReceiptAction: inShell(portalReceiptAction(deps)),
    portalReturnPage: inShell(portalReturnPage(deps)),
    portalReturn: inShell(portalReturn(deps)),
    portalSend: inShell(portalSend(deps)),
    portalAssign: inShell(portalAssign(deps)),
    portalUnassign: inShell(portalUnassign(deps)),
    portalChecks: inShell(portalChecks(deps)),
    portalTills: inShell(portalTills(deps)),
    portalTotals: inShell(portalTotals(deps)),
    portalTotalsCsv: inShell(portalTotalsCsv(deps)),
    portalPackets: inShell(portalPackets(deps)),
    portalReprocess: inShell(portalReprocess(deps)),
    portalReprocessPackets: inShell(portalReprocessPackets(deps)),
    portalReprocessedPackets: inShell(portalReprocessedPackets(deps)),
    portalMappings: inShell(portalMappings(deps)),
    portalWorkbench: inShell(portalWorkbench(deps)),
    portalTryMapping: inShell(portalTryMapping(deps)),
    portalBrand: inShell(portalBrand(deps)),
    portalBrandForm: inShell(portalBrandForm(deps)),
    portalUsers: inShell(portalUsers(deps)),
    portalCreateUser: inShell(portalCreateUser(deps)),
    portalUser: inShell(portalUser(deps)),
    portalUserForm: inShell(portalUserForm(deps)),
    portalNotifications: inShell(portalNotifications(deps)),
    portalNotificationsForm: inShell(portalNotificationsForm(deps)),
    portalGroup: inShell(portalGroup(deps)),
    portalGroupForm: inShell(portalGroupForm(deps)),
    portalWebhooks: inShell(portalWebhooks(deps)),
    portalWebhook: inShell(portalWebhook(deps)),
    portalWebhookForm: inShell(portalWebhookForm(deps)),
    portalIntegration: inShell(portalIntegration(deps)),
    portalCreateClient: inShell(portalCreateClient(deps)),
    portalClient: inShell(portalClient(deps)),
    portalClientForm: inShell(portalClientForm(deps)),
    portalGift: inShell(portalGift(deps)),
  };
};

/** The pages and forms of the portal. */
export const portalHandlers = (deps: Portal) => ({
  ...publicHandlers(deps),
  ...userHandlers(deps),
  eraseSearches: eraseSearches(deps),
});
