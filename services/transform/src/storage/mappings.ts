import type { Collection } from 'mongodb';
import type { PostedMapping } from '@receipts/contracts';
import { deadlineSignal, isDuplicateKey, type CollectionDeclaration } from '@receipts/storage';
import type { TimeLimit } from '@receipts/kernel';
import type { MappingHead } from '../domain/mapping-state';

/** An immutable version. The document is stored as a string, because MongoDB restricts the keys of objects. */
export interface VersionDocument {
  readonly _id: string;
  readonly retailer: string;
  readonly mapping: string;
  readonly version: number;
  /** JSON of the posted mapping. */
  readonly document: string;
  /** The id of the call that created the version. */
  readonly createdBy: string;
  readonly createdAt: Date;
}

/** The active version is one field of one document, so that it changes in one write. */
export interface HeadDocument {
  readonly _id: string;
  readonly retailer: string;
  readonly mapping: string;
  readonly newest: number;
  readonly active: number | null;
  readonly activated: readonly number[];
  readonly updatedAt: Date;
  /** The ids of the latest calls that have changed the active version. */
  readonly changedBy?: readonly string[];
}

export const versionsDeclaration: CollectionDeclaration = {
  name: 'mapping_versions',
  indexes: [
    { name: 'newest', key: { retailer: 1, mapping: 1, version: -1 } },
    // A call creates one version, even if two processes execute it at the same time.
    {
      name: 'by_creator',
      key: { retailer: 1, createdBy: 1 },
      unique: true,
    },
  ],
};

export const headsDeclaration: CollectionDeclaration = {
  name: 'mappings',
  indexes: [
    { name: 'id', key: { retailer: 1, mapping: 1 }, unique: true },
    { name: 'active', key: { retailer: 1, active: 1 } },
  ],
};

const headId = (retailer: string, mapping: string): string => `${retailer}|${mapping}`;
const versionId = (retailer: string, mapping: string, version: number): string =>
  `${retailer}|${mapping}|${version}`;

function headOf({ mapping: id, newest, active, activated }: HeadDocument): MappingHead {
  return { id, newest, active, activated };
}

/** The call that causes a write. If the call is executed again, it recognizes its earlier result. */
type Cause = TimeLimit & { readonly id: string };

export interface StoredVersion {
  readonly id: string;
  readonly version: number;
  readonly posted: PostedMapping;
}

function storedVersion({ mapping: id, version, document }: VersionDocument): StoredVersion {
  return { id, version, posted: JSON.parse(document) as PostedMapping };
}

/**
 * The maximum number of attempts to get the next version number; one of the concurrent calls succeeds in each round.
 */
const createAttemptsMax = 50;
const headsMax = 5_000;
/** This is enough to recognize repeated calls, which are always recent. */
const changedByMax = 16;

/** The mappings of all retailers. Every query is limited to one retailer. */
export class Mappings {
  constructor(
    private readonly heads: Collection<HeadDocument>,
    private readonly versions: Collection<VersionDocument>,
  ) {}

  async findHead(retailer: string, id: string, timeLimit: TimeLimit): Promise<MappingHead | undefined> {
    const head = await this.heads.findOne(
      { _id: headId(retailer, id) },
      { signal: deadlineSignal(timeLimit) },
    );
    return head ? headOf(head) : undefined;
  }

  async listHeads(retailer: string, after: string | undefined, timeLimit: TimeLimit): Promise<MappingHead[]> {
    const heads = await this.heads
      .find(
        { retailer, ...(after !== undefined && { mapping: { $gt: after } }) },
        { sort: { mapping: 1 }, limit: headsMax, signal: deadlineSignal(timeLimit) },
      )
      .toArray();
    return heads.map(headOf);
  }

  async findVersion(
    retailer: string,
    id: string,
    version: number,
    timeLimit: TimeLimit,
  ): Promise<PostedMapping | undefined> {
    const found = await this.versions.findOne(
      { _id: versionId(retailer, id, version) },
      { signal: deadlineSignal(timeLimit) },
    );
    return found ? (JSON.parse(found.document) as PostedMapping) : undefined;
  }

  async findVersions(
    retailer: string,
    wanted: readonly { readonly id: string; readonly version: number }[],
    timeLimit: TimeLimit,
  ): Promise<StoredVersion[]> {
    if (wanted.length === 0) return [];
    const ids = wanted.map(({ id, version }) => versionId(retailer, id, version));
    const found = await this.versions
      .find({ _id: { $in: ids } }, { signal: deadlineSignal(timeLimit) })
      .toArray();
    return found.map(storedVersion);
  }

  async listActive(retailer: string, timeLimit: TimeLimit): Promise<{ id: string; version: number }[]> {
    const heads = await this.heads
      .find(
        { retailer, active: { $gt: 0 } },
        { projection: { mapping: 1, active: 1 }, limit: headsMax, signal: deadlineSignal(timeLimit) },
      )
      .toArray();
    return heads.flatMap(({ mapping: id, active }) => (active === null ? [] : [{ id, version: active }]));
  }

  private async newestVersion(retailer: string, id: string, timeLimit: TimeLimit): Promise<number> {
    const [newest] = await this.versions
      .find(
        { retailer, mapping: id },
        { projection: { version: 1 }, sort: { version: -1 }, limit: 1, signal: deadlineSignal(timeLimit) },
      )
      .toArray();
    return newest?.version ?? 0;
  }

  /** The version that this call created in an earlier execution. */
  async versionBy(retailer: string, id: string, cause: Cause): Promise<StoredVersion | undefined> {
    const found = await this.versions.findOne(
      { retailer, mapping: id, createdBy: cause.id },
      { signal: deadlineSignal(cause) },
    );
    return found ? storedVersion(found) : undefined;
  }

  /**
   * Adds the next version of a mapping.
   * @param after the version that the new version is based on; undefined if that does not matter
   * @returns the version, even if the call created it earlier; undefined if `after` is no longer the newest
   */
  async addVersion(
    retailer: string,
    posted: PostedMapping,
    cause: Cause,
    now: Date,
    after?: number,
  ): Promise<StoredVersion | undefined> {
    const { id } = posted;
    const kept =
      (await this.versionBy(retailer, id, cause)) ??
      (await this.insertVersion(retailer, posted, cause, now, after));
    if (!kept) return undefined;
    await this.heads.updateOne(
      { _id: headId(retailer, id) },
      {
        $max: { newest: kept.version },
        $set: { updatedAt: now },
        $setOnInsert: { retailer, mapping: id, active: null, activated: [] },
      },
      { upsert: true, signal: deadlineSignal(cause) },
    );
    return kept;
  }

  private async insertVersion(
    retailer: string,
    posted: PostedMapping,
    cause: Cause,
    now: Date,
    after: number | undefined,
  ): Promise<StoredVersion | undefined> {
    const { id } = posted;
    for (let tries = 0; tries < createAttemptsMax; tries++) {
      const version = (await this.newestVersion(retailer, id, cause)) + 1;
      if (after !== undefined && version !== after + 1) return undefined;
      try {
        await this.versions.insertOne(
          {
            _id: versionId(retailer, id, version),
            retailer,
            mapping: id,
            version,
            document: JSON.stringify(posted),
            createdBy: cause.id,
            createdAt: now,
          },
          { signal: deadlineSignal(cause) },
        );
        return { id, version, posted };
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const own = await this.versionBy(retailer, id, cause);
        if (own) return own;
      }
    }
    return undefined;
  }

  /** Sets the active version, or none. A repeated call does not undo later changes. */
  async setActive(
    retailer: string,
    id: string,
    version: number | null,
    cause: Cause,
    now: Date,
  ): Promise<MappingHead | undefined> {
    const head = await this.heads.findOneAndUpdate(
      { _id: headId(retailer, id), changedBy: { $ne: cause.id } },
      {
        $set: { active: version, updatedAt: now },
        $push: { changedBy: { $each: [cause.id], $slice: -changedByMax } },
        ...(version !== null && { $addToSet: { activated: version } }),
      },
      { returnDocument: 'after', signal: deadlineSignal(cause) },
    );
    return head ? headOf(head) : this.findHead(retailer, id, cause);
  }
}
