/** All services of the platform. The gateway comes last, because it is ready only when it can reach the others. */
export const serviceNames = [
  'admin',
  'ingest',
  'transform',
  'receipt-store',
  'delivery',
  'identifier',
  'gateway',
] as const;
/** The services that own databases and queues. */
export const owners = serviceNames.filter((name) => name !== 'gateway');
export type ServiceName = (typeof serviceNames)[number];
