import { PeriodicTask } from '@receipts/concurrency';
import { type Log } from '@receipts/kernel';
import type { CollectionInfo, Db } from 'mongodb';
import type { CollectionDeclaration } from './collection';
import { databaseTimeout } from './faults';

const checkEveryMs = 2_000;

/**
 * Detects when a collection is dropped while the service runs. MongoDB creates it again with the next insert, but
 * without its indexes; the watch then recreates them. One command serves all collections of a database.
 *
 * A dropped collection returns with another UUID, but so does one that a sharded cluster has moved, with all its
 * documents and indexes. That is not told apart: creating indexes that exist and looking for missing data are harmless.
 */
export class CollectionWatch {
  private readonly declarations = new Map<string, CollectionDeclaration>();
  /** The UUID of each collection that has been seen. */
  private readonly uuids = new Map<string, string>();
  private readonly listeners = new Set<() => void>();
  private readonly checks: PeriodicTask;

  /** @param open creates the missing indexes of a collection */
  constructor(
    private readonly db: Db,
    private readonly open: (declaration: CollectionDeclaration) => Promise<unknown>,
    private readonly log: Log,
  ) {
    this.checks = new PeriodicTask({
      everyMs: checkEveryMs,
      log,
      failure: 'could not check the collections',
      run: () => this.restoreLost(),
    });
  }

  start(): void {
    this.checks.start();
  }

  add(declaration: CollectionDeclaration): void {
    this.declarations.set(declaration.name, declaration);
  }

  /** @param listener called after a loss, or a move; data derived from other data must then be rebuilt if it is missing */
  onLoss(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Failures are retried with the next check. */
  check(): Promise<void> {
    return this.checks.run();
  }

  stop(): Promise<void> {
    return this.checks.stop();
  }

  private async restoreLost(): Promise<void> {
    const present = await this.readUuids();
    const lost = [...this.uuids].filter(([name, uuid]) => present.get(name) !== uuid).map(([name]) => name);
    for (const name of lost) {
      const declaration = this.declarations.get(name);
      this.log.warn('a collection was dropped or moved while the service was running', { collection: name });
      if (declaration) await this.open(declaration);
      this.uuids.delete(name);
    }
    const now = lost.length > 0 ? await this.readUuids() : present;
    for (const [name, uuid] of now) if (this.declarations.has(name)) this.uuids.set(name, uuid);
    if (lost.length > 0) for (const listener of this.listeners) listener();
  }

  private async readUuids(): Promise<Map<string, string>> {
    const found = await this.db.listCollections<CollectionInfo>({}, { signal: databaseTimeout() }).toArray();
    return new Map(found.map(({ name, info }) => [name, String(info?.uuid)]));
  }
}
