import { randomBytes } from 'node:crypto';
import { owners } from '@receipts/local';
import { MongoClient, MongoServerError } from 'mongodb';

/** A user for each service that has a database, with the rights that the compose file gives it. */
export interface StoreUsers {
  /** The URL with which a service connects; undefined for a service without a database. */
  uriOf(service: string): string | undefined;
  remove(): Promise<void>;
}

const unauthorized = 13;
const commandNotFound = 59;

const underscored = (name: string): string => name.replaceAll('-', '_');

/** The same servers and options with another user of the database `admin`. */
export function uriWithUser(uri: string, user: string, password: string): string {
  const [, scheme = '', hosts = '', , query = ''] =
    /^(mongodb(?:\+srv)?:\/\/)(?:[^@/]*@)?([^/?]+)(\/[^?]*)?(?:\?(.*))?$/.exec(uri) ?? [];
  const kept = query
    .split('&')
    .filter((option) => option !== '' && !/^auth(?:source|mechanism)=/i.test(option));
  return `${scheme}${user}:${password}@${hosts}/?${[...kept, 'authSource=admin'].join('&')}`;
}

/**
 * Creates the users of a platform. Each may read and write only its service's database.
 * @returns undefined if the server has no users, or the given user may not create any
 */
export async function createStoreUsers(uri: string, platform: string): Promise<StoreUsers | undefined> {
  const password = randomBytes(16).toString('hex');
  const databases = new Map(owners.map((owner) => [owner, underscored(`${platform}_${owner}`)]));
  const asAdmin = async (run: (command: (document: object) => Promise<unknown>) => Promise<void>) => {
    const client = await MongoClient.connect(uri);
    try {
      await run((document) => client.db('admin').command(document));
    } finally {
      await client.close();
    }
  };
  try {
    await asAdmin(async (command) => {
      for (const db of databases.values())
        await command({ createUser: db, pwd: password, roles: [{ role: 'readWrite', db }] });
    });
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (error instanceof MongoServerError && (code === unauthorized || code === commandNotFound))
      return undefined;
    throw error;
  }
  return {
    uriOf(service) {
      const user = databases.get(service as (typeof owners)[number]);
      return user && uriWithUser(uri, user, password);
    },
    remove: () =>
      asAdmin(async (command) => {
        for (const user of databases.values()) await command({ dropUser: user });
      }),
  };
}
