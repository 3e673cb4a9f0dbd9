import { connect } from 'amqplib';
import { MongoClient } from 'mongodb';

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

async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no response within ${timeoutMs / 1000} s`)), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** @throws a one-line Error if no RabbitMQ accepts these credentials within the given time, by default 6 s */
export async function checkBroker(url: string, origin: string, timeoutMs = defaultTimeoutMs): Promise<void> {
  try {
    const connection = await within(timeoutMs, connect(url, { timeout: timeoutMs }));
    connection.on('error', () => {});
    await within(timeoutMs, connection.close());
  } catch (error) {
    throw unreachable('RabbitMQ', url, origin, error);
  }
}

/** @throws a one-line Error if no MongoDB accepts these credentials within the given time, by default 6 s */
export async function checkDatabase(
  uri: string,
  origin: string,
  timeoutMs = defaultTimeoutMs,
): Promise<void> {
  let client: MongoClient | undefined;
  try {
    client = new MongoClient(uri, {
      serverSelectionTimeoutMS: timeoutMs * driversShare,
      connectTimeoutMS: timeoutMs * driversShare,
    });
    await within(
      timeoutMs,
      client.db('admin').command({ listDatabases: 1, nameOnly: true, filter: { name: '' } }),
    );
  } catch (error) {
    throw unreachable('MongoDB', uri, origin, error);
  } finally {
    await client?.close().catch(() => undefined);
  }
}
