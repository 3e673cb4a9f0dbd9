import type { Portal } from '../open-portal';
import { portalMappings } from './mappings';
import { portalPackets, portalReprocess } from './packets';
import { portalTryMapping, portalWorkbench } from './workbench';

/** The pages and forms for mappings and failed packets. */
export const portalMappingHandlers = (deps: Portal) => ({
  portalPackets: portalPackets(deps),
  portalReprocess: portalReprocess(deps),
  portalMappings: portalMappings(deps),
  portalWorkbench: portalWorkbench(deps),
  portalTryMapping: portalTryMapping(deps),
});
