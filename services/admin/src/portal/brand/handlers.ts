import type { Portal } from '../open-portal';
import { portalBrand, portalBrandForm } from './brand';

/** The page on which a retailer's staff change how receipts look. */
export const portalBrandHandlers = (deps: Portal) => ({
  portalBrand: portalBrand(deps),
  portalBrandForm: portalBrandForm(deps),
});
