import { readEmailAddress } from '../domain/email-address';
import { assessAddress, notAnAddress } from '../domain/validation';
import { factsOf } from './mail-domains';
import type { MailRoutes } from './mail-routes';
import type { ValidationProvider } from './provider';

/** Validates addresses by their syntax, by lists of domains and by DNS, without sending e-mail. */
export function localProvider(routes: Pick<MailRoutes, 'find'>): ValidationProvider {
  return {
    name: 'local',
    async validate(identifier, signal) {
      const address = readEmailAddress(identifier);
      if (!address) return notAnAddress(identifier, readEmailAddress(identifier.trim()));
      const route = await routes.find(address.domain, signal);
      return assessAddress(address, factsOf(address.domain), route);
    },
  };
}
