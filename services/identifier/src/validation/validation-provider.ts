import type { Log } from '@receipts/kernel';
import { httpProvider } from './http-provider';
import { localProvider } from './local-provider';
import { MailRoutes } from './mail-routes';
import type { ValidationProvider } from './provider';

export interface ValidationConfig {
  readonly VALIDATION_PROVIDER: 'local' | 'http';
  readonly VALIDATION_URL: string;
  readonly VALIDATION_API_KEY?: string | undefined;
  readonly DNS_SERVERS: string;
}

/** The provider chosen by the settings. */
export function validationProvider(config: ValidationConfig, log: Log): ValidationProvider {
  const { VALIDATION_PROVIDER: kind, VALIDATION_URL: url, VALIDATION_API_KEY: apiKey, DNS_SERVERS } = config;
  if (kind === 'http') return httpProvider({ url, apiKey, log });
  return localProvider(new MailRoutes({ servers: DNS_SERVERS.split(',').filter((server) => server !== '') }));
}
