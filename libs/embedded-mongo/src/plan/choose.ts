import { badValue, MongoError } from '../errors';
import { BsonType } from '../bson/types';
import type { BsonValue } from '../bson/value';
import { cutKey } from '../keys/index-keys';
import { encodeValue } from '../keys/key-writer';
import { compileFilter } from '../query/match';
import type { Node } from '../query/node';
import type { Collection, IndexSpec } from '../store/collection';
import type { Environment } from '../store/environment';
import { conditionsOf, conjunctsOf } from './conditions';
import { costOf, isLookup, rank, stopsEarly, undominated } from './cost';
import { indexScans, type IndexScan } from './index-scan';
import { countRange } from './key-stream';
import type { Branch, Hint, Plan, Query, Source } from './plan';
import type { Progress } from './progress';

/** The maximum number of keys counted per candidate at first, and then if all candidates reach that limit. */
const countedKeysMax = 1_000;
const countedMoreKeysMax = 20_000;
/** The limit for a query without `limit`, which reads all keys of the chosen scan. */
const countedManyKeysMax = 500_000;
const countLimits: ReadonlySet<number> = new Set([countedKeysMax, countedMoreKeysMax, countedManyKeysMax]);
const orBranchesMax = 32;
/** A scan with this many times the keys of another scan cannot be cheaper, because the costs per key differ by less. */
const readsAllFactor = 8;

/** Counts keys in steps. Other work runs between the steps. */
type Steps<R> = Generator<undefined, R, void>;

/** Chooses the plan of a query within one turn of the event loop. */
export function choosePlan(environment: Environment, collection: Collection | undefined, query: Query): Plan {
  const steps = new Planner(environment, query).plan(collection);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Chooses the plan of a query. Other work runs in between if many keys are counted. */
export async function choosePlanInSlices(
  environment: Environment,
  collection: Collection | undefined,
  query: Query,
  progress: Progress,
): Promise<Plan> {
  const steps = new Planner(environment, query, progress).plan(collection);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await progress.giveWay();
  }
}

/** The value of an equality condition on _id. It can be looked up directly because an _id is never an array. */
function idLookedUp(conjuncts: readonly Node[]): BsonValue | undefined {
  for (const n of conjuncts) {
    if (n.kind !== 'field' || n.path.text !== '_id' || n.test.op !== 'eq') continue;
    if (n.test.value.type !== BsonType.array) return n.test.value;
  }
  return undefined;
}

export function isHinted(spec: Pick<IndexSpec, 'name' | 'key'>, hint: Hint): boolean {
  if (hint.kind === 'name') return spec.name === hint.name;
  if (hint.key.length !== spec.key.length) return false;
  return hint.key.every(([name, direction], i) => spec.key[i]![0] === name && spec.key[i]![1] === direction);
}

interface Costed {
  readonly scan: IndexScan;
  /** The estimated number of keys that the scan reads, weighted by the cost per key; undefined if not estimated yet. */
  readonly cost: number | undefined;
}

class Planner {
  /** @param progress the time budget for counting the keys of candidates; if absent, counting does not pause */
  constructor(
    private readonly environment: Environment,
    private readonly query: Query,
    private readonly progress?: Progress,
  ) {}

  *plan(collection: Collection | undefined): Steps<Plan> {
    const { filter, sort, hint, skip, limit } = this.query;
    const planned = (source: Source, isExact: boolean, isSorted: boolean): Plan => ({
      collection,
      source,
      skip,
      limit,
      matches: isExact ? undefined : compileFilter(filter),
      blockingSort: isSorted ? undefined : sort,
    });
    if (collection === undefined) return planned({ kind: 'collection' }, true, true);
    const conjuncts = conjunctsOf(filter);
    const id = hint === undefined ? idLookedUp(conjuncts) : undefined;
    if (id !== undefined) {
      const key = cutKey(Buffer.concat([collection.idIndex.prefix, encodeValue(id)]));
      return planned({ kind: 'id', key }, conjuncts.length === 1, true);
    }
    const candidates = this.directed(this.scans(collection, conjuncts));
    const or = hint === undefined ? yield* this.orSource(collection, conjuncts) : undefined;
    const best = yield* this.cheapest(collection, candidates);
    if (or !== undefined && (best === undefined || or.cost < (yield* this.cost(collection, best))))
      return planned(or.source, true, or.source.merge !== undefined);
    if (best === undefined) return planned({ kind: 'collection' }, conjuncts.length === 0, false);
    const { scan } = best;
    return planned({ kind: 'index', scan }, scan.exact, scan.sorted);
  }

  private scans(collection: Collection, conjuncts: readonly Node[]): IndexScan[] {
    const { hint, sort } = this.query;
    const conditions = conditionsOf(conjuncts);
    if (hint !== undefined) {
      const index = collection.readyIndexes.find((i) => isHinted(i.spec, hint));
      if (index === undefined)
        throw badValue('error processing query: hint provided does not correspond to an existing index');
      const scans = indexScans(index, conjuncts, conditions, sort, true);
      // MongoDB would leave out the documents that the index does not contain.
      if (scans.length === 0)
        throw new MongoError(
          291,
          `error processing query: planner returned error :: caused by :: No query solutions, because the hinted index ${index.name} does not contain all documents that the filter matches`,
        );
      return scans;
    }
    const scans: IndexScan[] = [];
    for (const index of collection.indexesUniqueFirst) {
      for (const scan of indexScans(index, conjuncts, conditions, sort, false)) {
        if (isLookup(scan)) return [scan];
        scans.push(scan);
      }
    }
    return scans;
  }

  private directed(scans: IndexScan[]): IndexScan[] {
    if (this.query.sort !== undefined || !this.environment.readsBackwards) return scans;
    return scans.map((scan) => ({ ...scan, backwards: true }));
  }

  /** The plan of an $or if every branch can use an index. The other conjuncts are added to each branch. */
  private *orSource(
    collection: Collection,
    conjuncts: readonly Node[],
  ): Steps<{ source: Extract<Source, { kind: 'or' }>; cost: number } | undefined> {
    const { sort } = this.query;
    const at = conjuncts.findIndex((n) => n.kind === 'or');
    if (at < 0) return undefined;
    const or = conjuncts[at] as Extract<Node, { nodes: unknown }>;
    if (or.nodes.length > orBranchesMax) return undefined;
    const rest = conjuncts.filter((_, i) => i !== at);
    const branches: Branch[] = [];
    let cost = 0;
    for (const node of or.nodes) {
      const filter: Node = { kind: 'and', nodes: [...rest, node] };
      const scans = this.scans(collection, conjunctsOf(filter)).filter((s) => s.bounds.length > 0);
      const best = yield* this.cheapest(collection, this.directed(scans));
      if (best === undefined) return undefined;
      branches.push({ scan: best.scan, matches: best.scan.exact ? undefined : compileFilter(filter) });
      cost += yield* this.cost(collection, best);
    }
    const merge = sort !== undefined && branches.every((b) => b.scan.sorted) ? sort : undefined;
    return { source: { kind: 'or', branches, merge }, cost };
  }

  private *cost(collection: Collection, { scan, cost }: Costed): Steps<number> {
    if (cost !== undefined) return cost;
    const size = trueSize(yield* this.sizeOf(scan, countedMoreKeysMax), collection);
    return costOf(scan, size, size, this.query);
  }

  /**
   * The candidate with the lowest cost, or undefined if there are no candidates. Keys are counted only if the earlier
   * rules leave several candidates.
   */
  private *cheapest(collection: Collection, all: readonly IndexScan[]): Steps<Costed | undefined> {
    const { query } = this;
    const unique = all.find(isLookup);
    if (unique) return { scan: unique, cost: 1 };
    const scans = undominated(all);
    if (scans.length <= 1) return scans[0] && { scan: scans[0], cost: undefined };
    const direct = scans.filter((s) => s.exact && stopsEarly(s, query) && query.limit > 0);
    if (direct.length > 0)
      return { scan: direct.reduce((x, y) => (rank(y) > rank(x) ? y : x)), cost: query.limit };
    const sizes = yield* this.sizesOf(scans);
    const results = Math.min(...sizes);
    const costed = scans.map((scan, i) => ({
      scan,
      cost: costOf(scan, trueSize(sizes[i]!, collection), results, query),
    }));
    return costed.reduce((x, y) => ((y.cost - x.cost || rank(x.scan) - rank(y.scan)) < 0 ? y : x));
  }

  /**
   * The numbers of keys that scans read, up to a limit that grows until one of them is below it. If all candidates are
   * read to their end, those with many more keys than the smallest cannot win, so counting may stop early.
   */
  private *sizesOf(scans: readonly IndexScan[]): Steps<number[]> {
    const { limit, sort } = this.query;
    const readsAll = limit === 0 && (sort === undefined || !scans.some((s) => s.sorted));
    let least = countedKeysMax;
    let sizes: number[] = [];
    for (const s of scans) {
      const most = readsAll ? Math.min(countedKeysMax, least * readsAllFactor) : countedKeysMax;
      const size = yield* this.sizeOf(s, most);
      least = Math.min(least, Math.max(size, 1));
      sizes.push(size);
    }
    let counted = countedKeysMax;
    for (const most of limit === 0 ? [countedMoreKeysMax, countedManyKeysMax] : [countedMoreKeysMax]) {
      if (Math.min(...sizes) < counted) break;
      sizes = [];
      for (const s of scans) sizes.push(yield* this.sizeOf(s, most));
      counted = most;
    }
    return sizes;
  }

  /** The number of keys that a scan reads, up to `most`. */
  private *sizeOf(scan: IndexScan, most: number): Steps<number> {
    let n = 0;
    for (const range of scan.chains.flatMap(({ ranges }) => ranges)) {
      const counts = range.only === undefined ? countRange(this.environment, range) : [1];
      for (const some of counts) {
        n += some;
        if (n >= most) return most;
        if (this.progress?.isOver()) yield undefined;
      }
    }
    return n;
  }
}

/** A size equal to the limit of a count is a lower bound, so the size of the collection is assumed. */
const trueSize = (n: number, collection: Collection): number =>
  countLimits.has(n) ? Math.max(n, collection.count) : n;
