import { createHash } from 'node:crypto';
import type { LogoImage } from '@receipts/contracts';
import type { CollectionDeclaration } from '@receipts/storage';
import { Binary, type Collection } from 'mongodb';

/** An image that a retailer's staff have uploaded. */
export interface LogoDocument {
  readonly _id: string;
  readonly retailer: string;
  readonly type: LogoImage['type'];
  readonly bytes: Binary;
  /** When it was last chosen. */
  readonly chosenAt: Date;
}

export const logosDeclaration: CollectionDeclaration = {
  name: 'logos',
  indexes: [{ name: 'chosen', key: { retailer: 1, chosenAt: -1 } }],
};

/** Passes and pages that were opened before still show replaced logos. Previews add logos that are never saved. */
const keptMax = 20;

interface NewLogo {
  readonly retailer: string;
  readonly type: LogoImage['type'];
  readonly bytes: Buffer;
}

/** Nobody can guess it, and another image, or the same image of another retailer, has another. */
const idOf = ({ retailer, bytes }: NewLogo): string =>
  createHash('sha256').update(`${retailer}\n`).update(bytes).digest('base64url');

export class Logos {
  constructor(private readonly collection: Collection<LogoDocument>) {}

  /**
   * Keeps an image, and the ones that the retailer chose last before it.
   * @param saved the id of the logo in use, which is always kept
   * @returns the id, which is the same for the same image
   */
  async keep(logo: NewLogo, saved: string | undefined, now: Date, signal: AbortSignal): Promise<string> {
    const { retailer, type, bytes } = logo;
    const _id = idOf(logo);
    const update = { $set: { retailer, type, bytes: new Binary(bytes), chosenAt: now } };
    await this.collection.updateOne({ _id }, update, { upsert: true, signal });
    const older = await this.collection
      .find({ retailer }, { signal, projection: { _id: 1 } })
      .sort({ chosenAt: -1 })
      .skip(keptMax)
      .toArray();
    const gone = older.map((one) => one._id).filter((id) => id !== saved && id !== _id);
    if (gone.length > 0) await this.collection.deleteMany({ retailer, _id: { $in: gone } }, { signal });
    return _id;
  }

  /** Finds an image of any retailer. Images are public. */
  find(id: string, signal: AbortSignal): Promise<LogoDocument | null> {
    return this.collection.findOne({ _id: id }, { signal });
  }
}
