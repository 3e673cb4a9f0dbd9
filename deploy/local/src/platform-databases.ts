import { MongoServerError } from 'mongodb';
import { withClient } from './check-connectivity';
import { owners } from './service-names';

const timeoutMs = 6_000;
const duplicateKey = 11_000;

/** Names of databases contain an underscore where the names of platforms and services have a hyphen. */
const databaseOf = (platform: string, owner: string) => `${platform}_${owner}`.replaceAll('-', '_');
/** This database does not belong to a service, so that backups do not copy it to another installation. */
const claims = 'installation';

/** Claims a platform's name on a database server. Resolves to false if another installation has already claimed it. */
export function claimDatabases(uri: string, platform: string, installation: string): Promise<boolean> {
  return withClient(uri, timeoutMs, async (client) => {
    const collection = client
      .db(databaseOf(platform, claims))
      .collection<{ _id: string; by: string }>('claims');
    try {
      await collection.insertOne({ _id: platform, by: installation });
      return true;
    } catch (error) {
      if (!(error instanceof MongoServerError) || error.code !== duplicateKey) throw error;
      return (await collection.findOne({ _id: platform }))?.by === installation;
    }
  });
}

/** Drops all databases of a platform. */
export function dropDatabases(uri: string, platform: string): Promise<void> {
  return withClient(uri, timeoutMs, async (client) => {
    for (const owner of [...owners, claims]) await client.db(databaseOf(platform, owner)).dropDatabase();
  });
}
