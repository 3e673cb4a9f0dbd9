// Starts real brokers and databases, including for tests. Does not depend on the platform.
export { findDatabase, type DatabaseServer } from './database-server';
export { freePort } from './network';
export { startRabbit, type Rabbit, type RabbitOptions } from './rabbitmq';
export type { RabbitNetwork } from './rabbitmq-config';
export { rabbitServerPath } from './rabbitmq-server-path';
