export { guardEvents, idempotent, openService } from './open-service';
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
