export { connectBroker } from './connect-broker';
export type { Answer, AskInput, Broker, BrokerOptions, QueueDepth } from './broker';
export { boundCommands } from './topology/bound-commands';
export {
  hashedPassword,
  integratorAccess,
  type IntegratorAccess,
  type IntegratorQueue,
} from './topology/integrator-access';
export type { BrokerState, MessageKind, MessagingMetrics, PublishOutcome } from './reporting/metrics';
export type { RawRequest } from './message/envelope';
export type { DeadLetters, DeadLetter } from './inbound/dead-letters';
export type { RawReply } from './outbound/rpc-client';
export type { Consumer, ServeOptions } from './inbound/serve';
export type { SubscribeOptions, Subscriber } from './inbound/subscribe';
export { on } from './inbound/subscribe';
export type { EventOutcomes, Subscription } from './inbound/subscribe';
export { claimPlatform, removePlatform } from './platform-removal';
export { commandQueue, deadLetterQueue, rpcQueue } from './topology/queues';
export { PrefixTakenError } from './connection/connection';
export { RecordCache } from './record-cache';
