import { z } from 'zod';
import { brandForm } from './brand-form';
import { doneParameter, portalPages } from './browser-pages';

/** The page on which a retailer's staff change how receipts look. */
const { page, upload } = portalPages;

export const portalBrand = page({
  name: 'portal-brand',
  summary: 'how receipts look',
  path: '/portal/brand',
  query: z.object({ done: doneParameter }),
});

export const portalBrandForm = upload({
  name: 'portal-brand-form',
  summary: 'preview or change how receipts look',
  path: '/portal/brand',
  body: brandForm.extend({
    file: z.string().optional().describe('A PNG, JPEG or WebP, which replaces the logo.'),
  }),
});
