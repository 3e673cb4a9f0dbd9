import { permissionDenied } from '@receipts/kernel';
import { z } from 'zod';
import { portalLanguages } from '../../shared/portal-languages';
import { choice, text } from '../../shared/query-parameters';
import {
  portalPages,
  csrf,
  doneParameter,
  identityProviderAnswer,
  nextPage,
  nextPageParameter,
} from './browser-pages';

/** The retailer portal: pages for the retailer's staff, who answer questions about missing receipts. */
const { page: portalPage, form: portalForm, unknownPage } = portalPages;

const searched = (description: string, example: string, max = 200) =>
  text({ min: 0, max, description, example }).optional();
const password = (description: string) => z.string().max(1000).describe(description);

const userEmail = z.string().max(1000).describe('The e-mail address with which the user signs in.');

/** A link that was used, has expired, was replaced by a later link, or never existed. */
const linkEnded = { status: 404, code: 'not_found', description: 'this link no longer works' };

const signInPerMinute = 120;

export const portalStart = portalPage({
  name: 'portal-start',
  summary: 'first steps',
  path: '/portal/start',
});

export const portalUnknown = unknownPage('portal-unknown', '/portal');

export const portalSignInPage = portalPage({
  name: 'portal-sign-in-page',
  summary: 'sign in',
  path: '/portal/sign-in',
  query: z.object({
    next: nextPageParameter,
    done: doneParameter,
    retailer: searched('The retailer whose identity provider the page offers.', 'demo', 40),
  }),
});

export const portalSignIn = portalForm({
  name: 'portal-sign-in',
  summary: 'sign in',
  path: '/portal/sign-in',
  body: z.object({
    email: userEmail,
    password: password('The password of the user.'),
    next: nextPage,
  }),
  perMinute: signInPerMinute,
});

export const portalSignInCode = portalForm({
  name: 'portal-sign-in-code',
  summary: 'sign in with a second factor',
  path: '/portal/sign-in/code',
  body: z.object({
    step: z.string().max(2000).describe('What the page knows of the right password, encrypted.'),
    code: z.string().max(100).describe('The code of the authenticator, or a recovery code.'),
    next: nextPage,
  }),
  perMinute: signInPerMinute,
});

const notSignedIn = { status: 403, code: 'permission_denied', description: 'the sign-in failed' };

export const portalOidc = portalPage({
  name: 'portal-oidc',
  summary: 'sign in with an identity provider',
  path: '/portal/oidc',
  query: z.object({
    retailer: searched('The retailer whose identity provider is used.', 'demo', 40),
    next: nextPageParameter,
  }),
  errors: [linkEnded],
});

export const portalOidcCallback = portalPage({
  name: 'portal-oidc-callback',
  summary: 'the answer of an identity provider',
  path: '/portal/oidc/callback',
  ignoresUnknownQuery: true,
  query: identityProviderAnswer,
  errors: [notSignedIn],
});

export const portalAccount = portalPage({
  name: 'portal-account',
  summary: 'your account',
  path: '/portal/account',
  query: z.object({ done: doneParameter }),
});

export const portalAccountForm = portalForm({
  name: 'portal-account-form',
  summary: 'change your account',
  path: '/portal/account',
  body: z.object({
    csrf,
    action: z
      .enum(['begin', 'confirm', 'remove'])
      .describe('Whether to set up a second factor, confirm it with a code, or remove it.'),
    setup: z.string().max(2000).optional().describe('The new authenticator, encrypted.'),
    code: z.string().max(100).optional().describe('A code of the authenticator, or a recovery code.'),
  }),
  perMinute: signInPerMinute,
});

export const portalSignOut = portalForm({
  name: 'portal-sign-out',
  summary: 'sign out',
  path: '/portal/sign-out',
  body: z.object({ csrf }),
});

export const portalLanguage = portalForm({
  name: 'portal-language',
  summary: 'choose a language',
  path: '/portal/language',
  body: z.object({
    language: z.enum(portalLanguages).describe('The language of all pages from now on.'),
    next: nextPage,
  }),
});

export const portalForgottenPage = portalPage({
  name: 'portal-forgotten-page',
  summary: 'forgotten password',
  path: '/portal/forgotten',
});

export const portalForgotten = portalForm({
  name: 'portal-forgotten',
  summary: 'request a new password',
  path: '/portal/forgotten',
  body: z.object({ email: userEmail }),
  perMinute: signInPerMinute,
});

export const portalPasswordPage = portalPage({
  name: 'portal-password-page',
  summary: 'choose a password',
  path: '/portal/password',
  query: z.object({ token: searched('The token from the link in the e-mail.', 'Q2hhbmdlTWU') }),
  errors: [linkEnded],
});

export const portalPassword = portalForm({
  name: 'portal-password',
  summary: 'set the password',
  path: '/portal/password',
  body: z.object({
    token: z.string().max(200).describe('The token from the link in the e-mail.'),
    password: password('The new password.'),
    password_confirmation: password('The new password, repeated.'),
  }),
  errors: [linkEnded],
  perMinute: signInPerMinute,
});

const totalsFields = z.object({
  from: searched('The first day.', '2026-03-01', 10),
  to: searched('The last day.', '2026-03-31', 10),
  store: searched('Only include receipts from the store with this reference.', '1'),
  by: choice(['day', 'store', 'till'], 'What the totals are grouped by. Defaults to `day`.').optional(),
});

export const portalTotals = portalPage({
  name: 'portal-totals',
  summary: 'totals of receipts',
  path: '/portal/totals',
  query: totalsFields,
});

export const portalTotalsCsv = portalPage({
  name: 'portal-totals-csv',
  summary: 'totals of receipts as a file',
  path: '/portal/totals.csv',
  query: totalsFields,
  errors: [permissionDenied],
  produces: ['text/csv'],
});

export const portalTills = portalPage({
  name: 'portal-tills',
  summary: 'tills, and gaps in their numbers',
  path: '/portal/tills',
  query: totalsFields.pick({ from: true, to: true, store: true }),
});
