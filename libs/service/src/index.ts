export { guardEvents } from './guard-handlers';
export { idempotencyCollection, type IdempotencyRecord } from './idempotent';
export { idempotent, openService } from './open-service';
export type {
  Background,
  Idempotent,
  OpenService,
  OpenServiceOptions,
  Served,
  Service,
  ServiceBroker,
  ServiceWork,
} from './open-service';
export { runDatabaseService } from './run-database-service';
