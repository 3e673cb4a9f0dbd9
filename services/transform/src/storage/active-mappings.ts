import type { PostedMapping } from '@receipts/contracts';
import { LRUCache } from 'lru-cache';
import { SingleFlight } from '@receipts/concurrency';
import { type TimeLimit } from '@receipts/kernel';
import type { Candidate } from '../domain/choose-mapping';
import type { Mappings } from './mappings';

/** An active mapping with the data that conversion needs. */
export interface ActiveMapping extends Candidate {
  readonly version: number;
  /** Identifies this version among those of all retailers. */
  readonly key: string;
  readonly posted: PostedMapping;
}

interface Known {
  readonly readAtMs: number;
  readonly mappings: readonly ActiveMapping[];
}

/** Activations by other processes take effect here after this time. */
const maxAgeMs = 1_000;
const cachedRetailersMax = 5_000;

function mappingKey(retailer: string, id: string, version: number): string {
  return `${retailer}|${id}|${version}`;
}

/** The active mappings by retailer, read at most once a second. Versions are immutable, so each is read once. */
export class ActiveMappings {
  private readonly known = new LRUCache<string, Known>({ max: cachedRetailersMax });
  private readonly reading = new SingleFlight<Known>();

  constructor(
    private readonly mappings: Mappings,
    private readonly now: () => number = Date.now,
  ) {}

  async of(retailer: string, timeLimit: TimeLimit): Promise<readonly ActiveMapping[]> {
    const known = this.known.get(retailer);
    if (known && this.now() - known.readAtMs < maxAgeMs) return known.mappings;
    return (await this.readOnce(retailer, timeLimit)).mappings;
  }

  /**
   * Makes the next request reread the mappings; called after a change, and before concluding that there is no mapping.
   */
  forget(retailer: string): void {
    const known = this.known.get(retailer);
    if (known) this.known.set(retailer, { ...known, readAtMs: -Infinity });
  }

  private readOnce(retailer: string, timeLimit: TimeLimit): Promise<Known> {
    return this.reading.run(retailer, () => this.read(retailer, timeLimit));
  }

  private async read(retailer: string, timeLimit: TimeLimit): Promise<Known> {
    const readAtMs = this.now();
    const active = await this.mappings.listActive(retailer, timeLimit);
    const before = new Map(this.known.get(retailer)?.mappings.map((mapping) => [mapping.key, mapping]));
    const missing = active.filter(({ id, version }) => !before.has(mappingKey(retailer, id, version)));
    for (const { id, version, posted } of await this.mappings.findVersions(retailer, missing, timeLimit)) {
      const key = mappingKey(retailer, id, version);
      before.set(key, { id, version, key, match: posted.match, posted: withoutSamples(posted) });
    }
    const mappings = active.flatMap(({ id, version }) => before.get(mappingKey(retailer, id, version)) ?? []);
    const known = { readAtMs, mappings };
    this.known.set(retailer, known);
    return known;
  }
}

/** Samples are large and not needed for conversion. */
function withoutSamples({ samples: _samples, ...rest }: PostedMapping): PostedMapping {
  return rest;
}
