import type { Log, Tracing } from '@receipts/kernel';
import type { SupervisedConnection } from '../connection/supervised-connection';
import type { MessagingMetrics } from '../reporting/metrics';
import type { TopologyNames } from './topology-names';

/** The common parts of a broker client. */
export interface BrokerContext {
  readonly names: TopologyNames;
  /** The name of the service, which each message carries. */
  readonly service: string;
  readonly publishing: SupervisedConnection;
  readonly consuming: SupervisedConnection;
  readonly log: Log;
  readonly metrics: MessagingMetrics;
  readonly tracing: Tracing | undefined;
  readonly now: () => number;
}
