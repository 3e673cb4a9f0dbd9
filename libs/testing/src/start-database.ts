import { silentLog } from '@receipts/kernel';
import { connectDatabase, type Database, type DatabaseOptions } from '@receipts/storage';
import { startMongo, testDatabase } from './mongo';

/** A database of a service, on a MongoDB of its own that stops when the database is closed. */
export async function startDatabase(
  service = 'test',
  options: Partial<DatabaseOptions> = {},
): Promise<Database> {
  const mongo = await startMongo();
  const given = { uri: mongo.uri, database: testDatabase(service), service, log: silentLog };
  const database = await connectDatabase({ ...given, ...options });
  return {
    ...database,
    async close() {
      await database.close();
      await mongo.stop();
    },
  };
}
