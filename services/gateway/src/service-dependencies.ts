import type { Broker } from '@receipts/messaging';
import type { OpenSeal } from './authentication/credential';
import type { GatewayOptions } from './gateway';
import type { Page } from './http/pages';

export interface ServiceDependencies extends Pick<GatewayOptions, 'log' | 'ids'> {
  readonly broker: Broker;
  readonly openSeal: OpenSeal;
  /** See `preparePages`. */
  readonly pages: readonly Page[];
  readonly port: number;
  readonly host: string;
  /** How often all credentials are read again, in case an event was lost. */
  readonly credentialsRefreshMs: number;
  /** The maximum number of messages in an owner's queues; more are rejected. */
  readonly backlogMessagesMax: number;
  /** How often the backlog is polled, in milliseconds; 5 s by default. */
  readonly backlogEveryMs?: number;
  readonly http: Omit<
    GatewayOptions,
    'contracts' | 'pages' | 'broker' | 'credentials' | 'bearer' | 'originsOf' | 'log' | 'ids' | 'backlog'
  >;
}

export interface Service {
  readonly port: number;
  /** True once the credentials have been read for the first time. */
  readonly isReady: boolean;
  /** Stops accepting connections and waits for requests in progress, for at most `graceMs`. */
  stop(graceMs: number): Promise<void>;
}
