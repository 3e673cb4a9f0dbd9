export { connectBroker } from './connect-broker';
export type { Answer, AskInput, Broker, BrokerOptions, QueueDepth } from './broker';
export { boundCommands } from './topology/bound-commands';
export {
  hashedPassword,
  integratorAccess,
  type IntegratorAccess,
  type IntegratorQueue,
} from './topology/integrator-access';
export type { Log } from './reporting/log';
export type { BrokerState, MessageKind, MessagingMetrics, PublishOutcome } from './reporting/metrics';
export type { RawRequest } from './outbound/outgoing';
export type { Parked, ParkedMessage } from './inbound/parked';
export type { RawReply } from './outbound/requester';
export type { Consumer, ServeOptions } from './inbound/serve';
export type { Announce } from './outbound/event-publisher';
export type { SubscribeOptions, Subscriber } from './inbound/subscribe';
export { on } from './inbound/subscription';
export type { EventOutcomes, Subscription } from './inbound/subscription';
export { commandQueue, parkedQueue, rpcQueue } from './topology/queues';
export { ForeignPlatform } from './connection/setup-errors';
