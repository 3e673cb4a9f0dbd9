export { connectBroker } from './connect-broker';
export type { Answer, AskInput, Broker, BrokerOptions, QueueDepth } from './broker';
export {
  hashedPassword,
  integratorAccess,
  type IntegratorAccess,
  type IntegratorQueue,
} from './integrator-access';
export type { Log } from './log';
export type { BrokerState, MessageKind, MessagingMetrics, PublishOutcome } from './metrics';
export type { RawRequest } from './outgoing';
export type { Parked, ParkedMessage } from './parked';
export type { RawReply } from './requester';
export type { Consumer, ServeOptions } from './serve';
export type { Announce } from './event-publisher';
export type { SubscribeOptions, Subscriber } from './subscribe';
export { on } from './subscription';
export type { EventOutcomes, Subscription } from './subscription';
export { commandQueue, ForeignPlatform, parkedQueue, rpcQueue, type QueueType } from './topology';
