import { MongoClient } from 'mongodb';
import { within } from '@receipts/concurrency';
import { connectionsTo } from '@receipts/messaging';

/** Including compilation, `npm start` should report within 10 s that an address is wrong. */
const defaultTimeoutMs = 6_000;
/** The driver gives up first, because its error is more specific. */
const driversShare = 5 / 6;

/** A URL without its password, for messages. */
export function shown(url: string): string {
  return url.replace(/\/\/([^/@]*)@/, (_all, credentials: string) => `//${credentials.split(':')[0]}:***@`);
}

function firstLine(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  const line = (message ?? '').split('\n')[0] ?? '';
  return line === '' ? (code ?? 'no answer') : line;
}

/** @param origin where the URL comes from: an environment variable, or the port on which a server was found */
function unreachable(what: string, url: string, origin: string, error: unknown): Error {
  return new Error(`${what} is not responding at ${shown(url)} (${origin}): ${firstLine(error)}`);
}

/** @throws a one-line Error if no RabbitMQ accepts these credentials within the given time, by default 6 s */
export async function checkBroker(url: string, origin: string, timeoutMs = defaultTimeoutMs): Promise<void> {
  try {
    await within(
      timeoutMs,
      'the connection',
      connectionsTo(url, 'launcher')(async () => {}),
    );
  } catch (error) {
    throw unreachable('RabbitMQ', url, origin, error);
  }
}

/** Connects to a MongoDB, which must respond within the given time, and disconnects after the work. */
export async function withClient<T>(
  uri: string,
  timeoutMs: number,
  work: (client: MongoClient) => Promise<T>,
): Promise<T> {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: timeoutMs, connectTimeoutMS: timeoutMs });
  try {
    return await work(client);
  } finally {
    await client.close().catch(() => undefined);
  }
}

/** @throws a one-line Error if no MongoDB accepts these credentials within the given time, by default 6 s */
export async function checkDatabase(
  uri: string,
  origin: string,
  timeoutMs = defaultTimeoutMs,
): Promise<void> {
  try {
    await withClient(uri, timeoutMs * driversShare, (client) => {
      const listed = client.db('admin').command({ listDatabases: 1, nameOnly: true, filter: { name: '' } });
      return within(timeoutMs, 'the connection', listed);
    });
  } catch (error) {
    throw unreachable('MongoDB', uri, origin, error);
  }
}
