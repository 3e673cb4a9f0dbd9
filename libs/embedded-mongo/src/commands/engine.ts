import type { Catalog } from '../store/catalog';
import type { Collection } from '../store/collection';
import type { Documents } from '../store/documents';
import type { Environment } from '../store/environment';
import type { WriteQueue } from '../store/write-queue';
import { MongoError } from '../errors';
import { Progress } from '../plan/progress';
import type { Command } from './command';
import type { Cursors } from './cursors';
import type { Scram } from './scram';

/** The parts of the server that commands use. */
export interface Engine {
  readonly environment: Environment;
  readonly catalog: Catalog;
  readonly documents: Documents;
  readonly writes: WriteQueue;
  readonly cursors: Cursors;
  /** Undefined if the server runs without authentication. */
  readonly scram: Scram | undefined;
}

/**
 * The time budget of a command's scans. Other commands may write between the slices of a scan, but the scan never sees a
 * partial write.
 */
export const progressOf = (command: Command, engine: Engine): Progress =>
  new Progress(command.deadline, () => engine.writes.nextScanTurn(command.namespace));

export function existing(engine: Engine, namespace: string): Collection {
  const collection = engine.catalog.get(namespace);
  if (collection === undefined) throw new MongoError(26, `ns does not exist: ${namespace}`);
  return collection;
}
