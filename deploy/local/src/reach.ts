import { connect } from 'amqplib';
import { MongoClient } from 'mongodb';

const reachTimeoutMs = 8_000;

/** A URL without its password, for messages. */
function shown(url: string): string {
  return url.replace(/\/\/([^/@]*)@/, (_all, credentials: string) => `//${credentials.split(':')[0]}:***@`);
}

function firstLine(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  const line = (message ?? '').split('\n')[0] ?? '';
  return line === '' ? (code ?? 'no answer') : line;
}

/** @param origin where the URL comes from: an environment variable, or the port that was found listening */
function unreachable(what: string, url: string, origin: string, error: unknown): Error {
  return new Error(`No ${what} answers at ${shown(url)} (${origin}): ${firstLine(error)}`);
}

async function within<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`no answer within ${reachTimeoutMs / 1000} s`)),
      reachTimeoutMs,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** @throws Error of one line if no RabbitMQ accepts these credentials within 8 s */
export async function assertBroker(url: string, origin: string): Promise<void> {
  try {
    const connection = await within(connect(url, { timeout: reachTimeoutMs }));
    connection.on('error', () => {});
    await within(connection.close());
  } catch (error) {
    throw unreachable('RabbitMQ', url, origin, error);
  }
}

/** @throws Error of one line if no MongoDB accepts these credentials within 8 s */
export async function assertStore(uri: string, origin: string): Promise<void> {
  let client: MongoClient | undefined;
  try {
    client = new MongoClient(uri, {
      serverSelectionTimeoutMS: reachTimeoutMs - 1_000,
      connectTimeoutMS: reachTimeoutMs - 1_000,
    });
    await within(client.db('admin').command({ listDatabases: 1, nameOnly: true, filter: { name: '' } }));
  } catch (error) {
    throw unreachable('MongoDB', uri, origin, error);
  } finally {
    await client?.close().catch(() => undefined);
  }
}
