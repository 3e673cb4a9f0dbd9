import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import { PeriodicTask } from '@receipts/concurrency';
import type { AgentFacts } from '@receipts/contracts';
import type { Log, TimeLimit } from '@receipts/kernel';
import { deadlineSignal, majorityRead, type CollectionDeclaration } from '@receipts/storage';

/** A till as the metadata of its packets names it. */
export interface TillName {
  readonly store: string | null;
  readonly till: string | null;
}

/** What a till agent last said about itself. */
export interface TillAgent extends TillName {
  readonly retailer: string;
  /** When its request arrived. */
  readonly at: Date;
  readonly version: string | null;
  readonly waiting: number | null;
  /** By how much its clock is ahead of the platform. */
  readonly aheadMs: number | null;
}

interface TillAgentDocument extends TillAgent {
  /** Retailer, store and till, as JSON. */
  readonly _id: string;
}

const keptSeconds = 30 * 24 * 60 * 60;

/** Clients choose the names of tills, so agents that are no longer heard of must not stay for ever. */
export const tillAgentsDeclaration: CollectionDeclaration = {
  name: 'till_agents',
  indexes: [
    { name: 'retailer', key: { retailer: 1, at: -1 } },
    { name: 'expiry', key: { at: 1 }, expireAfterSeconds: keptSeconds },
  ],
};

/** The till agents of a retailer that are read: those that were heard of last. */
const foundMax = 10_000;

const saveEveryMs = 1_000;
/** The agents of one second. Further ones are left to their next request. */
const unsavedMax = 10_000;
const duplicateKey = 11_000;
const failure = 'could not save till agents';

const idOf = ({ retailer, store, till }: Pick<TillAgentDocument, 'retailer' | 'store' | 'till'>) =>
  JSON.stringify([retailer, store, till]);

/**
 * The latest state of each till agent. It is collected in memory and written once a second, so that a packet costs
 * no write more; a process that crashes loses a second, which the agents' next requests replace.
 */
export class TillAgents {
  private unsaved = new Map<string, TillAgentDocument>();
  private readonly task: PeriodicTask;

  constructor(
    private readonly collection: Collection<TillAgentDocument>,
    private readonly log: Log,
  ) {
    this.task = new PeriodicTask({
      everyMs: saveEveryMs,
      run: () => this.save(),
      log,
      failure,
    });
  }

  start(): void {
    this.task.start();
  }

  note(retailer: string, { store, till }: TillName, facts: AgentFacts, atMs: number): void {
    const _id = idOf({ retailer, store, till });
    const known = this.unsaved.get(_id);
    if (known ? known.at.getTime() > atMs : this.unsaved.size >= unsavedMax) return;
    this.unsaved.set(_id, {
      _id,
      retailer,
      store,
      till,
      at: new Date(atMs),
      version: facts.version ?? null,
      waiting: facts.waiting ?? null,
      aheadMs: facts.clockMs === undefined ? null : facts.clockMs - atMs,
    });
  }

  find(retailer: string, timeLimit: TimeLimit): Promise<TillAgent[]> {
    return this.collection
      .find({ retailer }, { sort: { at: -1 }, limit: foundMax, ...majorityRead(timeLimit) })
      .toArray();
  }

  async save(): Promise<void> {
    const saved = [...this.unsaved.values()];
    if (saved.length === 0) return;
    this.unsaved = new Map();
    const operations = saved.map(({ _id, ...agent }) => ({
      // Of two processes, the one with the newer request wins: the other's upsert finds the id taken.
      updateOne: { filter: { _id, at: { $lt: agent.at } }, update: { $set: agent }, upsert: true },
    })) as unknown as AnyBulkWriteOperation<TillAgentDocument>[];
    try {
      await this.collection.bulkWrite(operations, { ordered: false, signal: deadlineSignal(saveLimit()) });
    } catch (error) {
      if (isOnlyOutdated(error)) return;
      for (const agent of saved) if (!this.unsaved.has(agent._id)) this.unsaved.set(agent._id, agent);
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.task.stop();
    // What is lost if the database is away is replaced by the agents' next requests.
    await this.save().catch((error: unknown) => this.log.warn(failure, { error }));
  }
}

const saveLimit = (): TimeLimit => ({ deadline: Date.now() + 10_000 });

/** True if all that failed were upserts of documents that are newer already. */
function isOnlyOutdated(error: unknown): boolean {
  const failures = (error as { writeErrors?: readonly { code?: number }[] }).writeErrors;
  return (
    Array.isArray(failures) && failures.length > 0 && failures.every(({ code }) => code === duplicateKey)
  );
}
