import amqp from 'amqplib';
import { MongoClient, MongoServerError, type Document } from 'mongodb';

const withClient = async <T>(mongodbUri: string, work: (client: MongoClient) => Promise<T>): Promise<T> => {
  const client = await MongoClient.connect(mongodbUri);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
};

/** Such as `RabbitMQ 3.13.7`. */
export async function brokerVersion(amqpUrl: string): Promise<string> {
  const connection = await amqp.connect(amqpUrl);
  const { product, version } = connection.connection.serverProperties;
  await connection.close();
  return `${product} ${version}`;
}

/** Such as `MongoDB 8.0.4, replica set rs0`, or `embedded-mongo (as MongoDB 7.0.0), standalone`. */
export async function databaseVersion(mongodbUri: string): Promise<string> {
  return withClient(mongodbUri, async (client) => {
    const admin = client.db('admin');
    const { version, gitVersion } = await admin.command({ buildInfo: 1 });
    const { setName, msg } = await admin.command({ hello: 1 });
    const name =
      gitVersion === 'embedded-mongo' ? `embedded-mongo (as MongoDB ${version})` : `MongoDB ${version}`;
    const topology =
      msg === 'isdbgrid'
        ? 'sharded cluster'
        : setName === undefined
          ? 'standalone'
          : `replica set ${setName}`;
    return `${name}, ${topology}`;
  });
}

export async function describeServers(amqpUrl: string, mongodbUri: string): Promise<string> {
  const [broker, database] = await Promise.all([brokerVersion(amqpUrl), databaseVersion(mongodbUri)]);
  return `${broker} and ${database}`;
}

/**
 * Whether the server deletes expired documents: not all tests have its clock. False if the server has no such setting, or
 * does not tell the user.
 */
export function expiresDocuments(mongodbUri: string): Promise<boolean> {
  return withClient(mongodbUri, async (client) => {
    const command = { getParameter: 1, ttlMonitorEnabled: 1 };
    const answer = await client
      .db('admin')
      .command(command)
      .catch((error: unknown): Document => {
        if (error instanceof MongoServerError) return {};
        throw error;
      });
    return answer['ttlMonitorEnabled'] === true;
  });
}

/** The databases that the user may see. */
export function databaseNames(mongodbUri: string): Promise<ReadonlySet<string>> {
  return withClient(mongodbUri, async (client) => {
    const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
    return new Set(databases.map(({ name }) => name));
  });
}

/** Drops the databases that tests have created: those not in `before` whose names end with twelve hexadecimal digits. */
export async function dropTestDatabases(mongodbUri: string, before: ReadonlySet<string>): Promise<void> {
  const names = [...(await databaseNames(mongodbUri))].filter(
    (name) => !before.has(name) && /_[0-9a-f]{12}$/.test(name),
  );
  await withClient(mongodbUri, async (client) => {
    for (const name of names) await client.db(name).dropDatabase();
  });
}
