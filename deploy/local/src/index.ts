export { findBroker } from './broker';
export { Child } from './child';
export { removeLeftovers } from './leftovers';
export { Platform, type DemoCredentials, type PlatformOptions } from './platform';
export { serviceNames, type ServiceName } from './service-names';
export { readLocalSettings, type LocalSettings } from './settings';
export { findDatabase } from './database-server';
