import { unknownPage } from './pages/error-shell';
import { portalAccount, portalAccountForm } from './portal/access/account';
import { portalBrand, portalBrandForm } from './portal/brand/brand';
import { showLogo } from './portal/brand/show-logo';
import { portalChecks } from './portal/receipts/checks';
import { portalPassword, portalPasswordPage } from './portal/choose-password';
import { withShell } from './portal/error-shell';
import { portalForgotten, portalForgottenPage } from './portal/forgotten';
import { portalClient, portalClientForm } from './portal/integration/client';
import { portalCreateClient, portalIntegration } from './portal/integration/clients';
import { portalLanguage } from './portal/language-switch';
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
  portalForgottenPage: portalForgottenPage(deps),
  portalForgotten: portalForgotten(deps),
  portalPasswordPage: portalPasswordPage(deps),
  portalPassword: portalPassword(deps),
  portalUnsubscribePage: portalUnsubscribePage(deps),
  portalUnsubscribe: portalUnsubscribe(deps),
  showLogo: showLogo(deps),
});

/** The pages and forms of the portal. */
export const portalHandlers = (deps: Portal) => ({
  ...publicHandlers(deps),
  portalHome: withShell(deps, portalHome(deps)),
  portalStart: withShell(deps, portalStart(deps)),
  portalAccount: portalAccount(deps),
  portalAccountForm: portalAccountForm(deps),
  portalLanguage: portalLanguage(deps),
  portalUnknown: withShell(deps, unknownPage),
  portalReceiptsCsv: withShell(deps, portalReceiptsCsv(deps)),
  portalSearches: withShell(deps, portalSearches(deps)),
  eraseSearches: eraseSearches(deps),
  portalSendReceipts: withShell(deps, portalSendReceipts(deps)),
  portalSentReceipts: withShell(deps, portalSentReceipts(deps)),
  portalReceipt: withShell(deps, portalReceipt(deps)),
  portalReceiptAction: withShell(deps, portalReceiptAction(deps)),
  portalReturnPage: withShell(deps, portalReturnPage(deps)),
  portalReturn: withShell(deps, portalReturn(deps)),
  portalSend: withShell(deps, portalSend(deps)),
  portalAssign: withShell(deps, portalAssign(deps)),
  portalUnassign: withShell(deps, portalUnassign(deps)),
  portalChecks: withShell(deps, portalChecks(deps)),
  portalTills: withShell(deps, portalTills(deps)),
  portalTotals: withShell(deps, portalTotals(deps)),
  portalTotalsCsv: withShell(deps, portalTotalsCsv(deps)),
  portalPackets: withShell(deps, portalPackets(deps)),
  portalReprocess: withShell(deps, portalReprocess(deps)),
  portalReprocessPackets: withShell(deps, portalReprocessPackets(deps)),
  portalReprocessedPackets: withShell(deps, portalReprocessedPackets(deps)),
  portalMappings: withShell(deps, portalMappings(deps)),
  portalWorkbench: withShell(deps, portalWorkbench(deps)),
  portalTryMapping: withShell(deps, portalTryMapping(deps)),
  portalBrand: withShell(deps, portalBrand(deps)),
  portalBrandForm: withShell(deps, portalBrandForm(deps)),
  portalUsers: withShell(deps, portalUsers(deps)),
  portalCreateUser: withShell(deps, portalCreateUser(deps)),
  portalUser: withShell(deps, portalUser(deps)),
  portalUserForm: withShell(deps, portalUserForm(deps)),
  portalNotifications: withShell(deps, portalNotifications(deps)),
  portalNotificationsForm: withShell(deps, portalNotificationsForm(deps)),
  portalGroup: withShell(deps, portalGroup(deps)),
  portalGroupForm: withShell(deps, portalGroupForm(deps)),
  portalWebhooks: withShell(deps, portalWebhooks(deps)),
  portalWebhook: withShell(deps, portalWebhook(deps)),
  portalWebhookForm: withShell(deps, portalWebhookForm(deps)),
  portalIntegration: withShell(deps, portalIntegration(deps)),
  portalCreateClient: withShell(deps, portalCreateClient(deps)),
  portalClient: withShell(deps, portalClient(deps)),
  portalClientForm: withShell(deps, portalClientForm(deps)),
  portalGift: withShell(deps, portalGift(deps)),
});
