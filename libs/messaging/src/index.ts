export { addressesIn } from './addresses';
export { connectBroker } from './connect-broker';
export type { Broker, BrokerOptions, QueueDepth } from './broker';
export type { BrokerState, MessageKind, MessagingMetrics, PublishOutcome } from './reporting/metrics';
export type { RawRequest } from './message/envelope';
export type { DeadLetters, DeadLetter } from './inbound/dead-letters';
export type { RawReply } from './outbound/rpc-client';
export type { ServeOptions } from './inbound/handler-queue';
export type { Consumer } from './inbound/queue-consumer';
export { on } from './inbound/event-subscriber';
export type { EventOutcomes, SubscribeOptions, Subscription } from './inbound/event-subscriber';
export {
  commandQueue,
  deadLetterQueue,
  integratorArguments,
  integratorDeadLetterArguments,
  integratorDeadLetterReasons,
  integratorQueue,
  integratorQueues,
  pulseQueue,
  quarantineQueue,
  retryQueue,
  retryingQueue,
  retrySteps,
  rpcQueue,
  standbyQueue,
} from './topology/queues';
export { TopologyNames } from './topology/topology-names';
export { connectionsTo, PrefixTakenError } from './connection/connection';
export { escaped, ManagementApi, vhostOf, withoutCredentials } from './management-api';
