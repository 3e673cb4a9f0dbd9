export { findBroker } from './broker';
export { Child } from './child';
export { removeLeftovers } from './leftovers';
export { Platform, type PlatformOptions } from './platform';
export type { DemoCredentials } from './provision';
export { hasHelm, renderChart } from './render-chart';
export { owners, serviceNames, type ServiceName } from './service-names';
export { readLocalSettings, type LocalSettings } from './settings';
export { findDatabase } from './database-server';
