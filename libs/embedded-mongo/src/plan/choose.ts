import { badValue } from '../errors';
import { BsonType } from '../bson/types';
import type { BsonValue } from '../bson/value';
import { cutKey } from '../keys/index-keys';
import { encodeValue } from '../keys/key-writer';
import { compileFilter } from '../query/match';
import type { Node } from '../query/node';
import type { Collection } from '../store/collection';
import type { Environment } from '../store/environment';
import { conditionsOf, conjunctsOf } from './conditions';
import { indexScans, type IndexScan } from './index-scan';
import { countRange } from './key-stream';
import type { Branch, Hint, Plan, Query, Source } from './plan';
import type { Progress } from './progress';

/** How many keys of a candidate are counted at most: first, and again if all candidates reach that limit. */
const probeKeysMax = 1_000;
const probeMoreKeysMax = 20_000;
/** The limit for a query without `limit`, which reads all keys of the chosen scan. */
const probeManyKeysMax = 500_000;
const probesKeysMax: ReadonlySet<number> = new Set([probeKeysMax, probeMoreKeysMax, probeManyKeysMax]);
/** The cost of reading a document, in keys, and of testing whether it matches a filter. */
const documentCost = 4;
const filterCost = 36;
const orBranchesMax = 32;
/** A scan with this many times the keys of another one cannot be cheaper, because the costs per key differ by less. */
const readsAllFactor = 8;

/** Counts keys in steps. It yields when others should run. */
type Steps<R> = Generator<undefined, R, void>;

/** The database, and the time budget for counting the keys of candidates. Without one, counting does not pause. */
interface Probing {
  readonly environment: Environment;
  readonly progress: Progress | undefined;
}

/** Chooses the plan of a query within one turn of the event loop. */
export function choosePlan(environment: Environment, collection: Collection | undefined, q: Query): Plan {
  const steps = plan({ environment, progress: undefined }, collection, q);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Chooses the plan of a query. Others run in between if many keys are counted. */
export async function choosePlanInSlices(
  environment: Environment,
  collection: Collection | undefined,
  q: Query,
  progress: Progress,
): Promise<Plan> {
  const steps = plan({ environment, progress }, collection, q);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await progress.giveWay();
  }
}

function* plan(probing: Probing, collection: Collection | undefined, q: Query): Steps<Plan> {
  if (collection === undefined)
    return {
      collection,
      source: { kind: 'nothing' },
      matches: undefined,
      blockingSort: undefined,
    };
  const conjuncts = conjunctsOf(q.filter);
  const empty = conjuncts.length === 0;
  const id = q.hint === undefined ? idLookedUp(conjuncts) : undefined;
  if (id !== undefined) {
    const key = cutKey(Buffer.concat([collection.idIndex.prefix, encodeValue(id)]));
    const matches = conjuncts.length === 1 ? undefined : compileFilter(q.filter);
    return { collection, source: { kind: 'id', key }, matches, blockingSort: undefined };
  }
  const candidates = scansFor(collection, conjuncts, q);
  const or = q.hint === undefined ? yield* orSource(probing, collection, conjuncts, q) : undefined;
  const best = yield* cheapest(probing, collection, candidates, q);
  if (or !== undefined && (best === undefined || or.cost < (yield* costed(probing, collection, best, q)))) {
    return {
      collection,
      source: or.source,
      matches: undefined,
      blockingSort: or.source.merge === undefined ? q.sort : undefined,
    };
  }
  if (best === undefined) {
    const source: Source = { kind: 'collection' };
    return {
      collection,
      source,
      matches: empty ? undefined : compileFilter(q.filter),
      blockingSort: q.sort,
    };
  }
  return {
    collection,
    source: { kind: 'index', scan: best.scan },
    matches: best.scan.exact ? undefined : compileFilter(q.filter),
    blockingSort: best.scan.sorted ? undefined : q.sort,
  };
}

/** The value of an equality condition on _id. It can be looked up directly because an _id is never an array. */
function idLookedUp(conjuncts: readonly Node[]): BsonValue | undefined {
  for (const n of conjuncts) {
    if (n.kind !== 'field' || n.path.text !== '_id' || n.test.op !== 'eq') continue;
    if (n.test.value.type !== BsonType.array) return n.test.value;
  }
  return undefined;
}

function scansFor(collection: Collection, conjuncts: readonly Node[], q: Query): IndexScan[] {
  const conditions = conditionsOf(conjuncts);
  if (q.hint !== undefined) {
    const index = collection.readyIndexes.find((i) => isHinted(i.spec, q.hint!));
    if (index === undefined) {
      throw badValue(
        'error processing query: planner returned error :: caused by :: hint provided does not correspond to an existing index',
      );
    }
    return indexScans(index, conjuncts, conditions, q.sort, true);
  }
  const scans: IndexScan[] = [];
  for (const index of collection.indexesUniqueFirst) {
    for (const scan of indexScans(index, conjuncts, conditions, q.sort, false)) {
      if (isLookup(scan)) return [scan];
      scans.push(scan);
    }
  }
  return scans;
}

export function isHinted(
  spec: { readonly name: string; readonly key: readonly (readonly [string, number])[] },
  hint: Hint,
): boolean {
  if (hint.kind === 'name') return spec.name === hint.name;
  if (hint.kind !== 'key' || hint.key.length !== spec.key.length) return false;
  return hint.key.every(([name, direction], i) => spec.key[i]![0] === name && spec.key[i]![1] === direction);
}

interface Costed {
  readonly scan: IndexScan;
  /** The estimated number of keys that the scan reads, weighted by the cost per key; undefined if not estimated yet. */
  readonly cost: number | undefined;
}

function* costed(probing: Probing, collection: Collection, { scan, cost }: Costed, q: Query): Steps<number> {
  if (cost !== undefined) return cost;
  const size = trueSize(yield* sizeOf(probing, scan, probeMoreKeysMax), collection);
  return costOf(scan, size, size, q);
}

/**
 * The candidate with the lowest cost, or undefined without candidates. Keys are counted only if the rules before leave
 * several candidates.
 */
function* cheapest(
  probing: Probing,
  collection: Collection,
  all: readonly IndexScan[],
  q: Query,
): Steps<Costed | undefined> {
  const unique = all.find(isLookup);
  if (unique) return { scan: unique, cost: 1 };
  const scans = undominated(all);
  if (scans.length === 0) return undefined;
  if (scans.length === 1) return { scan: scans[0]!, cost: undefined };
  const direct = scans.filter((s) => s.exact && stopsEarly(s, q) && q.limit > 0);
  if (direct.length > 0) return { scan: direct.reduce((x, y) => (rank(y) > rank(x) ? y : x)), cost: q.limit };
  let sizes = yield* sizesOf(probing, scans, q);
  let probed = probeKeysMax;
  for (const most of q.limit === 0 ? [probeMoreKeysMax, probeManyKeysMax] : [probeMoreKeysMax]) {
    if (Math.min(...sizes) < probed) break;
    sizes = [];
    for (const s of scans) sizes.push(yield* sizeOf(probing, s, most));
    probed = most;
  }
  const results = Math.min(...sizes);
  const costs = scans.map((s, i) => costOf(s, trueSize(sizes[i]!, collection), results, q));
  let best = 0;
  for (let i = 1; i < scans.length; i++) {
    if (costs[i]! < costs[best]! || (costs[i] === costs[best] && rank(scans[i]!) > rank(scans[best]!)))
      best = i;
  }
  return { scan: scans[best]!, cost: costs[best]! };
}

/**
 * If all candidates are read to their end, those with many more keys than the smallest cannot win, so that counting may
 * stop early.
 */
function* sizesOf(probing: Probing, scans: readonly IndexScan[], q: Query): Steps<number[]> {
  const readsAll = q.limit === 0 && (q.sort === undefined || !scans.some((s) => s.sorted));
  let least = probeKeysMax;
  const sizes: number[] = [];
  for (const s of scans) {
    const most = readsAll ? Math.min(probeKeysMax, least * readsAllFactor) : probeKeysMax;
    const size = yield* sizeOf(probing, s, most);
    least = Math.min(least, Math.max(size, 1));
    sizes.push(size);
  }
  return sizes;
}

/** Drops scans that are no better than another one in any respect, whatever the data. */
function undominated(scans: readonly IndexScan[]): IndexScan[] {
  const sorted = [...scans].sort((a, b) => rank(b) - rank(a));
  const out: IndexScan[] = [];
  for (const s of sorted) if (!out.some((better) => beats(better, s))) out.push(s);
  return out;
}

function beats(a: IndexScan, b: IndexScan): boolean {
  if ((b.sorted && !a.sorted) || (b.exact && !a.exact) || (a.repeats && !b.repeats)) return false;
  if (a.narrowedBy.size === 0) return false;
  for (const condition of b.narrowedBy) if (!a.narrowedBy.has(condition)) return false;
  return true;
}

const stopsEarly = (s: IndexScan, q: Query): boolean => q.sort === undefined || s.sorted;

/** A size equal to the limit of a probe is a lower bound, so the size of the collection is assumed. */
const trueSize = (n: number, collection: Collection): number =>
  probesKeysMax.has(n) ? Math.max(n, collection.count) : n;

/** True for equality on every field of a unique index. */
const isLookup = (s: IndexScan): boolean =>
  s.index.unique &&
  s.bounds.length === s.index.fields.length &&
  s.bounds.every((b) => b.length === 1 && b[0]!.point);

/** The number of keys that a scan reads, up to `most`. */
function* sizeOf({ environment, progress }: Probing, s: IndexScan, most: number): Steps<number> {
  let n = 0;
  for (const range of s.chains.flatMap(({ ranges }) => ranges)) {
    const counts = range.only === undefined ? countRange(environment, range) : [1];
    for (const some of counts) {
      n += some;
      if (n >= most) return most;
      if (progress?.isOver()) yield undefined;
    }
  }
  return n;
}

function costOf(s: IndexScan, size: number, results: number, q: Query): number {
  const perDocument = s.exact ? documentCost : documentCost + filterCost;
  const perKey = s.exact && q.limit === 0 && q.sort === undefined ? 2 : 1 + perDocument;
  const wanted = q.limit === 0 ? Infinity : q.limit + q.skip;
  if (!stopsEarly(s, q)) return size * perKey * 1.2;
  if (s.exact) return Math.min(size, wanted) * perKey;
  return Math.min(size, (size * wanted) / Math.max(results, 1)) * perKey;
}

const rank = (s: IndexScan): number =>
  (s.sorted ? 4 : 0) + (s.exact ? 2 : 0) + s.bounds.length - s.index.fields.length / 100;

/** The plan of an $or if every branch can use an index. The other conjuncts are added to each branch. */
function* orSource(
  probing: Probing,
  collection: Collection,
  conjuncts: readonly Node[],
  q: Query,
): Steps<{ source: Extract<Source, { kind: 'or' }>; cost: number } | undefined> {
  const at = conjuncts.findIndex((n) => n.kind === 'or');
  if (at < 0) return undefined;
  const or = conjuncts[at] as Extract<Node, { nodes: unknown }>;
  if (or.nodes.length > orBranchesMax) return undefined;
  const rest = conjuncts.filter((_, i) => i !== at);
  const branches: Branch[] = [];
  let cost = 0;
  for (const node of or.nodes) {
    const filter: Node = { kind: 'and', nodes: [...rest, node] };
    const parts = conjunctsOf(filter);
    const branchQuery = { ...q, filter };
    const scans = scansFor(collection, parts, branchQuery).filter((s) => s.bounds.length > 0);
    const best = yield* cheapest(probing, collection, scans, branchQuery);
    if (best === undefined) return undefined;
    branches.push({ scan: best.scan, matches: best.scan.exact ? undefined : compileFilter(filter) });
    cost += yield* costed(probing, collection, best, branchQuery);
  }
  const merge = q.sort !== undefined && branches.every((b) => b.scan.sorted) ? q.sort : undefined;
  return { source: { kind: 'or', branches, merge }, cost };
}
