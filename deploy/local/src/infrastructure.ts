// What starts real brokers and databases, for tests as well. It knows nothing of the platform.
export { findDatabase, type DatabaseServer } from './database-server';
export { freePort } from './network';
export { startRabbit, type Rabbit, type RabbitOptions } from './rabbitmq';
export { rabbitServerPath } from './rabbitmq-server-path';
