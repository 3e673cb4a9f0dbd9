/** Every service of the platform; the gateway last, because it is ready when it could ask the others. */
export const serviceNames = [
  'admin',
  'ingest',
  'transform',
  'receipt-store',
  'delivery',
  'identifier',
  'gateway',
] as const;
export type ServiceName = (typeof serviceNames)[number];
