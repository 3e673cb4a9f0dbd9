export { internalEvent, readEvent } from './events';
export { freePort, rabbitServerPath, startRabbit } from './rabbitmq';
export type { Rabbit, RabbitOptions } from './rabbitmq';
export { startMongo, testDatabase } from './mongo';
export type { Mongo, MongoOptions } from './mongo';
export { sharedRabbit } from './shared-rabbit';
export { startTcpProxy } from './tcp-proxy';
export type { TcpProxy } from './tcp-proxy';
