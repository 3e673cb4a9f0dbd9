export { FakeBroker } from './fake-broker';
export type { Received } from './fake-broker';
