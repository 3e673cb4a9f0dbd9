import type { Broker } from '@receipts/messaging';
import type { Database } from '@receipts/storage';
import type { Log } from '@receipts/kernel';
import type { Sandbox } from '../sandbox/sandbox';
import { ActiveMappings } from '../storage/active-mappings';
import {
  headsDeclaration,
  Mappings,
  versionsDeclaration,
  type HeadDocument,
  type VersionDocument,
} from '../storage/mappings';

export interface ServiceDependencies {
  readonly broker: Broker;
  readonly database: Database;
  readonly sandbox: Pick<Sandbox, 'run' | 'averageMs' | 'backlogMs'>;
  readonly log: Log;
  readonly now?: () => Date;
  /** Counts packets that are postponed. */
  readonly countPostponed?: () => void;
}

export async function createDependencies(deps: ServiceDependencies) {
  const { broker, database, sandbox, now = () => new Date(), countPostponed = () => undefined } = deps;
  const mappings = new Mappings(
    await database.collection<HeadDocument>(headsDeclaration),
    await database.collection<VersionDocument>(versionsDeclaration),
  );
  const activeMappings = new ActiveMappings(mappings, () => now().getTime());
  return { mappings, activeMappings, sandbox, broker, now, countPostponed };
}
