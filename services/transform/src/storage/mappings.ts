import type { Collection } from 'mongodb';
import type { PostedMapping } from '@receipts/contracts';
import { deadlineSignal, isDuplicateKey, type CollectionDeclaration } from '@receipts/storage';
import type { MappingHead } from '../domain/mapping-state';

/** One immutable version. The document is kept as text: its keys may hold what a database cannot have in keys. */
export interface VersionDocument {
  readonly _id: string;
  readonly retailer: string;
  readonly mapping: string;
  readonly version: number;
  /** JSON of the posted mapping. */
  readonly document: string;
  readonly createdAt: Date;
}

/** Which version is in force is one field of one document, so that it changes in one write. */
export interface HeadDocument {
  readonly _id: string;
  readonly retailer: string;
  readonly mapping: string;
  readonly newest: number;
  readonly active: number | null;
  readonly activated: readonly number[];
  readonly updatedAt: Date;
}

export const versionsDeclaration: CollectionDeclaration = {
  name: 'mapping_versions',
  indexes: [{ name: 'newest', key: { retailer: 1, mapping: 1, version: -1 } }],
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

type Waiter = { readonly deadline: number };

/** A version that is in force. */
export interface ActiveVersion {
  readonly id: string;
  readonly version: number;
  readonly posted: PostedMapping;
}

/** A race for the next version number is lost this often at most: of so many at once, each round lets one through. */
const createTriesMax = 50;
const headsMax = 5_000;

/** The mappings of all retailers; every question names one. */
export class Mappings {
  constructor(
    private readonly heads: Collection<HeadDocument>,
    private readonly versions: Collection<VersionDocument>,
  ) {}

  async findHead(retailer: string, id: string, waiter: Waiter): Promise<MappingHead | undefined> {
    const head = await this.heads.findOne({ _id: headId(retailer, id) }, { signal: deadlineSignal(waiter) });
    return head ? headOf(head) : undefined;
  }

  async listHeads(retailer: string, after: string | undefined, waiter: Waiter): Promise<MappingHead[]> {
    const heads = await this.heads
      .find(
        { retailer, ...(after !== undefined && { mapping: { $gt: after } }) },
        { sort: { mapping: 1 }, limit: headsMax, signal: deadlineSignal(waiter) },
      )
      .toArray();
    return heads.map(headOf);
  }

  async findVersion(
    retailer: string,
    id: string,
    version: number,
    waiter: Waiter,
  ): Promise<PostedMapping | undefined> {
    const found = await this.versions.findOne(
      { _id: versionId(retailer, id, version) },
      { signal: deadlineSignal(waiter) },
    );
    return found ? (JSON.parse(found.document) as PostedMapping) : undefined;
  }

  async findVersions(
    retailer: string,
    wanted: readonly { readonly id: string; readonly version: number }[],
    waiter: Waiter,
  ): Promise<ActiveVersion[]> {
    if (wanted.length === 0) return [];
    const ids = wanted.map(({ id, version }) => versionId(retailer, id, version));
    const found = await this.versions
      .find({ _id: { $in: ids } }, { signal: deadlineSignal(waiter) })
      .toArray();
    return found.map(({ mapping, version, document }) => ({
      id: mapping,
      version,
      posted: JSON.parse(document) as PostedMapping,
    }));
  }

  async listActive(retailer: string, waiter: Waiter): Promise<{ id: string; version: number }[]> {
    const heads = await this.heads
      .find(
        { retailer, active: { $gt: 0 } },
        { projection: { mapping: 1, active: 1 }, limit: headsMax, signal: deadlineSignal(waiter) },
      )
      .toArray();
    return heads.flatMap(({ mapping: id, active }) => (active === null ? [] : [{ id, version: active }]));
  }

  private async newestVersion(retailer: string, id: string, waiter: Waiter): Promise<number> {
    const [newest] = await this.versions
      .find(
        { retailer, mapping: id },
        { projection: { version: 1 }, sort: { version: -1 }, limit: 1, signal: deadlineSignal(waiter) },
      )
      .toArray();
    return newest?.version ?? 0;
  }

  /**
   * Keeps the next version of a mapping.
   * @param after the version that it was made from; undefined when that does not matter
   * @returns its number; undefined when `after` is no longer the newest
   */
  async addVersion(
    retailer: string,
    posted: PostedMapping,
    waiter: Waiter,
    now: Date,
    after?: number,
  ): Promise<number | undefined> {
    const { id } = posted;
    for (let tries = 0; tries < createTriesMax; tries++) {
      const version = (await this.newestVersion(retailer, id, waiter)) + 1;
      if (after !== undefined && version !== after + 1) return undefined;
      try {
        await this.versions.insertOne(
          {
            _id: versionId(retailer, id, version),
            retailer,
            mapping: id,
            version,
            document: JSON.stringify(posted),
            createdAt: now,
          },
          { signal: deadlineSignal(waiter) },
        );
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        continue;
      }
      await this.heads.updateOne(
        { _id: headId(retailer, id) },
        {
          $max: { newest: version },
          $set: { updatedAt: now },
          $setOnInsert: { retailer, mapping: id, active: null, activated: [] },
        },
        { upsert: true, signal: deadlineSignal(waiter) },
      );
      return version;
    }
    return undefined;
  }

  /** Puts a version in force, or none. */
  async setActive(
    retailer: string,
    id: string,
    version: number | null,
    waiter: Waiter,
    now: Date,
  ): Promise<MappingHead | undefined> {
    const head = await this.heads.findOneAndUpdate(
      { _id: headId(retailer, id) },
      {
        $set: { active: version, updatedAt: now },
        ...(version !== null && { $addToSet: { activated: version } }),
      },
      { returnDocument: 'after', signal: deadlineSignal(waiter) },
    );
    return head ? headOf(head) : undefined;
  }
}
