/** The services that a packet passes through, in this order; it waits in the queue for commands of each. */
export const packetPath = ['ingest', 'transform', 'receipt-store'] as const;
