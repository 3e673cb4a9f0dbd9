export * from './admin';
export * from './delivery';
export * from './identifier';
export * from './ingest';
export * from './receipt';
export * from './receipt-store';
export * from './transform';
