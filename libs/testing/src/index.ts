export { freePort, rabbitServerPath, startRabbit } from './rabbitmq';
export type { Rabbit, RabbitOptions } from './rabbitmq';
export { startMongo, testDatabase } from './mongo';
export type { Mongo, MongoOptions } from './mongo';
