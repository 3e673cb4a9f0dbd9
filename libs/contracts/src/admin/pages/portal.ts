import { integer, text } from '@receipts/kernel';
import { z } from 'zod';
import { browserPages } from './browser-pages';

const { page: portalPage, form: portalForm } = browserPages('Portal', 'the retailer portal');

const none = z.object({});
const typed = (max: number) => z.string().max(max);
const asked = (max = 200) => text({ min: 0, max }).optional();
const receiptParams = z.object({ id: z.string().max(100) });
const csrf = typed(100);

/** A link that was used, has expired, was replaced by a later one, or never existed. */
const linkEnded = { status: 404, code: 'not_found', description: 'this link no longer works' };

const signInPerMinute = 120;
const workPerMinute = 600;

const portalRoot = portalPage({
  name: 'portal-root',
  summary: 'entrance',
  path: '/portal',
  query: none,
  params: none,
});

const portalHome = portalPage({
  name: 'portal-home',
  summary: 'find receipts',
  path: '/portal/',
  query: z.object({
    customer: asked(),
    transaction: asked(),
    store: asked(),
    item: asked(),
    from: asked(10),
    to: asked(10),
    query: asked(2000),
    offset: integer({ min: 0, max: 1000 }).optional(),
    next: asked(1000),
    prev: asked(1000),
  }),
  params: none,
});

const portalSignInPage = portalPage({
  name: 'portal-sign-in-page',
  summary: 'sign in',
  path: '/portal/sign-in',
  query: z.object({ next: asked(), done: asked(40) }),
  params: none,
});

const portalSignIn = portalForm({
  name: 'portal-sign-in',
  summary: 'sign in',
  path: '/portal/sign-in',
  params: none,
  body: z.object({ email: typed(1000), password: typed(1000), next: typed(200).optional() }),
  perMinute: signInPerMinute,
});

const portalSignOut = portalForm({
  name: 'portal-sign-out',
  summary: 'sign out',
  path: '/portal/sign-out',
  params: none,
  body: z.object({ csrf }),
  perMinute: workPerMinute,
});

const portalForgottenPage = portalPage({
  name: 'portal-forgotten-page',
  summary: 'forgotten password',
  path: '/portal/forgotten',
  query: none,
  params: none,
});

const portalForgotten = portalForm({
  name: 'portal-forgotten',
  summary: 'ask for a new password',
  path: '/portal/forgotten',
  params: none,
  body: z.object({ email: typed(1000) }),
  perMinute: signInPerMinute,
});

const portalPasswordPage = portalPage({
  name: 'portal-password-page',
  summary: 'choose a password',
  path: '/portal/password',
  query: z.object({ token: asked() }),
  params: none,
  errors: [linkEnded],
});

const portalPassword = portalForm({
  name: 'portal-password',
  summary: 'set the password',
  path: '/portal/password',
  params: none,
  body: z.object({
    token: typed(200),
    password: typed(1000),
    password_confirmation: typed(1000).meta({ description: 'The same password once more.' }),
  }),
  errors: [linkEnded],
  perMinute: signInPerMinute,
});

const portalReceipt = portalPage({
  name: 'portal-receipt',
  summary: 'a receipt',
  path: '/portal/receipts/{id}',
  query: z.object({ done: asked(40) }),
  params: receiptParams,
});

const portalSend = portalForm({
  name: 'portal-send',
  summary: 'send a receipt again',
  path: '/portal/receipts/{id}/send',
  params: receiptParams,
  body: z.object({ csrf, email: typed(254) }),
  perMinute: workPerMinute,
});

const portalAssign = portalForm({
  name: 'portal-assign',
  summary: 'assign a receipt',
  path: '/portal/receipts/{id}/assign',
  params: receiptParams,
  body: z.object({ csrf, identifier: typed(255) }),
  perMinute: workPerMinute,
});

/** The retailer portal: pages for the retailer's staff, who answer questions about missing receipts. */
export const portalContracts = {
  portalRoot,
  portalHome,
  portalSignInPage,
  portalSignIn,
  portalSignOut,
  portalForgottenPage,
  portalForgotten,
  portalPasswordPage,
  portalPassword,
  portalReceipt,
  portalSend,
  portalAssign,
};
