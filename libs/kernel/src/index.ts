export * from './call';
export * from './contract';
export * from './errors';
export * from './event';
export * from './ids';
export * from './json';
export * from './query-parameters';
export * from './validate';
