import type { Catalog } from '../store/catalog';
import type { Collection } from '../store/collection';
import type { Documents } from '../store/documents';
import type { Environment } from '../store/environment';
import type { WriteQueue } from '../store/write-queue';
import { MongoError } from '../errors';
import { Progress } from '../plan/progress';
import type { Storage } from '../store/storage';
import type { Command } from './command';
import type { Cursors } from './cursors';
import type { Scram } from './scram';

/** What commands work with. */
export interface Engine {
  readonly environment: Environment;
  readonly catalog: Catalog;
  readonly documents: Documents;
  readonly storage: Storage;
  readonly writes: WriteQueue;
  readonly cursors: Cursors;
  /** Undefined when whoever connects may do everything. */
  readonly scram: Scram | undefined;
  /** How often each command was asked, and failed. */
  readonly asked: Map<string, { total: number; failed: number }>;
  readonly startedAt: number;
  /** Milliseconds since the epoch. */
  now(): number;
  /** How many clients are connected. */
  connections(): number;
}

/** The budget of a command's scans. Between their slices others may write, but no part of a write is seen. */
export const progressOf = (c: Command, engine: Engine): Progress =>
  new Progress(c.deadline, () => engine.writes.turn(c.namespace));

export function existing(engine: Engine, namespace: string): Collection {
  const c = engine.catalog.get(namespace);
  if (c === undefined) throw new MongoError(26, `ns does not exist: ${namespace}`);
  return c;
}
