export { Child } from './child';
export {
  Platform,
  serviceNames,
  type DemoCredentials,
  type PlatformOptions,
  type ServiceName,
} from './platform';
export { readLocalSettings, type LocalSettings } from './settings';
