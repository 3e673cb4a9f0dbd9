import { permissionDenied } from '@receipts/kernel';
import { z } from 'zod';
import { checkCodes } from '../../shared/checks';
import { portalLanguages } from '../../shared/portal-languages';
import { choice, integer, text } from '../../shared/query-parameters';
import {
  browserPages,
  csrf,
  doneParameter,
  identityProviderAnswer,
  nextPage,
  nextPageParameter,
} from './browser-pages';

/** The retailer portal: pages for the retailer's staff, who answer questions about missing receipts. */
const { page: portalPage, form: portalForm } = browserPages('Portal', 'the retailer portal');

const searched = (description: string, example: string, max = 200) =>
  text({ min: 0, max, description, example }).optional();
const receiptParams = z.object({
  id: z
    .string()
    .max(100)
    .meta({ description: 'The id of the receipt.', examples: ['6a1f3c2b9d4e5f60718293a4'] }),
});
const password = (description: string) => z.string().max(1000).describe(description);

const userEmail = z.string().max(1000).describe('The e-mail address with which the user signs in.');

/** A link that was used, has expired, was replaced by a later link, or never existed. */
const linkEnded = { status: 404, code: 'not_found', description: 'this link no longer works' };

const signInPerMinute = 120;

export const portalHome = portalPage({
  name: 'portal-home',
  summary: 'find receipts',
  path: '/portal',
  trailingSlash: true,
  query: z.object({
    customer: searched(
      'Find receipts of the consumer with this card number or e-mail address. A prefix is enough.',
      'jane@example.com',
    ),
    transaction: searched('Find receipts with this transaction id.', '4711'),
    store: searched('Find receipts from the store with this reference.', '1'),
    item: searched('Find receipts with an item whose name contains this word.', 'coffee'),
    amount: searched('Find receipts with this total.', '12.50', 20),
    card: searched('Find receipts paid with a card that has these last four digits.', '1234', 4),
    from: searched('Find receipts from this day on.', '2026-03-01', 10),
    to: searched('Find receipts up to this day.', '2026-03-31', 10),
    query: searched(
      'A query in the search language, in addition to the other fields.',
      'total:[10 TO *]',
      2000,
    ),
    offset: integer({
      min: 0,
      max: 1000,
      description: 'The number of results that precede the page.',
      example: 20,
    }).optional(),
    next: searched('The cursor of the page with older receipts.', '6a1f3c2b9d4e5f60718293a4', 1000),
    prev: searched('The cursor of the page with newer receipts.', '6a1f3c2b9d4e5f60718293a4', 1000),
  }),
});

export const portalStart = portalPage({
  name: 'portal-start',
  summary: 'first steps',
  path: '/portal/start',
});

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

export const portalReceipt = portalPage({
  name: 'portal-receipt',
  summary: 'a receipt',
  path: '/portal/receipts/{id}',
  query: z.object({ done: doneParameter }),
  params: receiptParams,
});

export const portalSend = portalForm({
  name: 'portal-send',
  summary: 'send a receipt again',
  path: '/portal/receipts/{id}/send',
  params: receiptParams,
  body: z.object({
    csrf,
    email: z.string().max(254).describe('The e-mail address to which the receipt is sent.'),
  }),
});

export const portalAssign = portalForm({
  name: 'portal-assign',
  summary: 'assign a receipt',
  path: '/portal/receipts/{id}/assign',
  params: receiptParams,
  body: z.object({
    csrf,
    identifier: z.string().max(255).describe('The consumer to whom the receipt is assigned.'),
    /** Set by the confirmation page. */
    confirmed: z.string().max(10).optional().describe('Present if the user has confirmed the assignment.'),
  }),
});

export const portalGift = portalForm({
  name: 'portal-gift',
  summary: 'create a gift receipt',
  path: '/portal/receipts/{id}/gift',
  params: receiptParams,
  body: z.object({ csrf }),
});

export const portalUnassign = portalForm({
  name: 'portal-unassign',
  summary: 'undo the assignment of a receipt',
  path: '/portal/receipts/{id}/unassign',
  params: receiptParams,
  body: z.object({
    csrf,
    identifier: z.string().max(255).describe('The consumer to whom the receipt was assigned.'),
  }),
});

export const portalChecks = portalPage({
  name: 'portal-checks',
  summary: 'receipts that do not add up',
  path: '/portal/checks',
  query: z.object({
    from: searched('The first day.', '2026-03-01', 10),
    to: searched('The last day.', '2026-03-31', 10),
    store: searched('Only show receipts from the store with this reference.', '1'),
    till: searched('Only show receipts from this till.', '00f3-1'),
    code: choice(['any', ...checkCodes], 'Only show receipts that fail this check.').optional(),
  }),
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
