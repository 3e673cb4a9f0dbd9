import type { Vocabulary } from '@receipts/search';
import { databaseTimeoutMs, type Log } from '@receipts/storage';
import type { Collection } from 'mongodb';
import { searchOf } from '../domain/identifier-search';
import { creationOrder, type IdentifierDocument } from './identifiers';

/** That the identifiers of earlier versions were brought into the present form, up to and including an id. */
export interface TakeoverDocument {
  readonly _id: string;
  readonly upTo: string;
  readonly isDone: boolean;
}

export const takeoversDeclaration = { name: 'takeovers', indexes: [] } as const;

const name = 'search documents of identifiers';
const pageMax = 200;
const retryMs = 5_000;

export interface OldIdentifiersParts {
  readonly collection: Collection<IdentifierDocument>;
  readonly takeovers: Collection<TakeoverDocument>;
  readonly vocabulary: Pick<Vocabulary, 'learn'>;
  readonly log: Log;
}

/**
 * Identifiers that were made before there was a search have nothing by which they could be found, and no place in the order of
 * creation. They get both in the background, once for each installation, in pages and from where an earlier life has stopped.
 */
export class OldIdentifiers {
  private stopped = false;
  private running: Promise<void> | undefined;
  private endPause: (() => void) | undefined;

  constructor(private readonly parts: OldIdentifiersParts) {}

  start(): void {
    this.running ??= this.run();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.endPause?.();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      try {
        return await this.takeOver();
      } catch (error) {
        this.parts.log.warn('could not take over old identifiers', { error: (error as Error).name });
        await this.pause();
      }
    }
  }

  private async takeOver(): Promise<void> {
    const { collection, takeovers, log } = this.parts;
    const known = await takeovers.findOne({ _id: name });
    if (known?.isDone) return;
    let upTo = known?.upTo ?? '';
    let count = 0;
    while (!this.stopped) {
      const page = await collection
        .find({ _id: { $gt: upTo } }, { signal: AbortSignal.timeout(databaseTimeoutMs) })
        .sort({ _id: 1 })
        .limit(pageMax)
        .toArray();
      count += await this.takeOverPage(page);
      upTo = page.at(-1)?._id ?? upTo;
      const isDone = page.length < pageMax;
      await takeovers.updateOne({ _id: name }, { $set: { upTo, isDone } }, { upsert: true });
      if (!isDone) continue;
      if (count > 0) log.info('identifiers of an earlier version can be searched', { count });
      return;
    }
  }

  private async takeOverPage(page: readonly IdentifierDocument[]): Promise<number> {
    // The types describe the present form only.
    const old = page.filter(({ search }: Partial<IdentifierDocument>) => search === undefined);
    if (old.length === 0) return 0;
    const made = old.map((document) => ({ ...document, search: searchOf(document) }));
    await this.parts.collection.bulkWrite(
      made.map(({ _id, version, createdAt, search }) => ({
        updateOne: {
          // A change since has made the search document itself; the next life looks again at what it did not reach.
          filter: { _id, version, search: { $exists: false } },
          update: { $set: { search, seq: creationOrder(createdAt, _id) } },
        },
      })),
      { ordered: false },
    );
    await this.parts.vocabulary.learn(made, { deadline: Date.now() + databaseTimeoutMs });
    return old.length;
  }

  private pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, retryMs).unref();
      this.endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
