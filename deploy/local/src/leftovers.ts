import { PrefixTakenError } from '@receipts/messaging';
import { claimDatabases, dropDatabases } from './platform-databases';
import { claimPlatform, removePlatform } from './platform-removal';
import { shown } from './check-connectivity';
import { owners } from './service-names';

/** A broker and a database that are not in the data folder; undefined if they are private. */
export interface ExternalServers {
  readonly amqpUrl: string | undefined;
  readonly managementUrl?: string | undefined;
  readonly mongodbUri: string | undefined;
}

interface Claim extends ExternalServers {
  readonly platform: string;
  readonly installation: string;
}

async function isBrokerClaimed(url: string, platform: string, installation: string): Promise<boolean> {
  try {
    await claimPlatform(url, platform, installation);
    return true;
  } catch (error) {
    if (error instanceof PrefixTakenError) return false;
    throw error;
  }
}

/**
 * Claims a platform's name on servers that outlive its data folder. If the data folder of an earlier platform was
 * deleted, a new platform can neither decrypt nor use the data that remains on these servers.
 * @throws a one-line Error with the command that removes such data
 */
export async function claimServers({ amqpUrl, mongodbUri, platform, installation }: Claim): Promise<void> {
  const taken = [
    amqpUrl !== undefined && !(await isBrokerClaimed(amqpUrl, platform, installation)) && amqpUrl,
    mongodbUri !== undefined && !(await claimDatabases(mongodbUri, platform, installation)) && mongodbUri,
  ].filter((url) => url !== false);
  if (taken.length === 0) return;
  throw new Error(
    `An earlier platform has left its data under the name ${platform} on ${taken.map(shown).join(' and ')}: ` +
      'remove it with "npm run reset", or set RESOURCE_PREFIX to another name.',
  );
}

/**
 * Removes all data of a platform on servers outside its data folder.
 * @throws Error if the platform is running, or if a server cannot be reached
 */
export async function removeLeftovers(platform: string, servers: ExternalServers): Promise<void> {
  const { amqpUrl, managementUrl, mongodbUri } = servers;
  if (amqpUrl !== undefined) await removePlatform({ url: amqpUrl, managementUrl, platform, owners });
  if (mongodbUri !== undefined) await dropDatabases(mongodbUri, platform);
}
