import type { Portal } from '../open-portal';
import { portalClient, portalClientForm } from './client';
import { portalCreateClient, portalIntegration } from './clients';

/** The pages and forms for API clients. */
export const portalIntegrationHandlers = (deps: Portal) => ({
  portalIntegration: portalIntegration(deps),
  portalCreateClient: portalCreateClient(deps),
  portalClient: portalClient(deps),
  portalClientForm: portalClientForm(deps),
});
