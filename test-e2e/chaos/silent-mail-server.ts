import { createServer } from 'node:net';
import { listen } from '@receipts/testing';

/** A mail server that accepts connections but never responds. */
export async function silentMailServer(): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = createServer();
  return { url: `smtp://127.0.0.1:${await listen(server)}`, close: () => void server.close() };
}
