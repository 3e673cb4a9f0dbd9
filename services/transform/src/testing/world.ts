import { transformContracts, type PacketToConvert, type PostedMapping } from '@receipts/contracts';
import { newId, type Call, type ReceivedReply, type RequestInput } from '@receipts/kernel';
import { FakeBroker } from '@receipts/messaging/testing';
import type { Database } from '@receipts/storage';
import { callOf, checkBody, startDatabase, until, silentLog } from '@receipts/testing';
import type { Service } from '@receipts/host/open-service';
import { createDependencies } from '../use-cases/create-dependencies';
import { Sandbox } from '../sandbox/sandbox';
import { startService } from '../service';
import type { HeadDocument, VersionDocument } from '../storage/mappings';
import type { Dependencies } from '../use-cases/dependencies';
import { Neighbours } from './neighbours';
import { jsonMapping } from './samples';

type Contracts = typeof transformContracts;

interface Documents {
  readonly mappings: HeadDocument;
  readonly mapping_versions: VersionDocument;
}

/** A JSON packet as passed by ingest. */
export const packetOf = (changes: Partial<PacketToConvert> = {}): PacketToConvert => ({
  id: newId(),
  attempt: 1,
  packetContentType: 'application/json',
  metadata: {},
  properties: {},
  attachments: [],
  receivedTimestamp: '2026-01-02T03:04:06+00:00',
  ...changes,
});

/** The service on a real database and sandbox, with an in-memory broker and fakes of its neighbours. */
export class World {
  readonly broker = new FakeBroker();
  readonly neighbours = new Neighbours();
  /** The number of postponed packets. */
  postponed = 0;
  /** The caller, unless a call names another. */
  retailer = '';
  private readonly sandbox = new Sandbox({ processesMax: 1 });
  private database: Database | undefined;
  private service: Service | undefined;
  private opened: Dependencies | undefined;

  async start(): Promise<void> {
    this.database = await startDatabase('transform');
    const { broker, sandbox, database } = this;
    await this.neighbours.serve(broker);
    const deps = {
      broker,
      sandbox,
      database,
      log: silentLog,
      countPostponed: () => this.postponed++,
    };
    this.service = await startService(deps);
    this.opened = await createDependencies(deps);
  }

  async stop(): Promise<void> {
    await this.service?.stop();
    this.sandbox.stop();
    await this.database?.close();
  }

  /** The dependencies of a use case in another process. */
  get deps(): Dependencies {
    if (!this.opened) throw new Error('the world has not started');
    return this.opened;
  }

  callOf(changes: Partial<Call> = {}): Call {
    return callOf(this.retailer, changes);
  }

  async ask<K extends keyof Contracts>(
    name: K,
    input: RequestInput<Contracts[K]> & { readonly contentType?: string },
    changes: Partial<Call> = {},
  ): Promise<ReceivedReply<Contracts[K]>> {
    const contract = transformContracts[name];
    checkBody(contract, (input as { body?: unknown }).body, input.contentType);
    return this.broker.ask(contract, input, this.callOf(changes)) as Promise<ReceivedReply<Contracts[K]>>;
  }

  create(mapping: PostedMapping, changes: Partial<Call> = {}) {
    return this.ask('createMapping', { body: mapping }, changes);
  }

  activate(id: string, version?: number, changes: Partial<Call> = {}) {
    return this.ask(
      'activateMapping',
      { params: { id }, body: version === undefined ? {} : { version } },
      changes,
    );
  }

  /** Posts a mapping for JSON and activates it. */
  async setUp(id: string, changes: Partial<PostedMapping> = {}): Promise<void> {
    await this.create(jsonMapping(id, changes));
    await this.activate(id);
  }

  /**
   * Converts a packet.
   * @returns the mapping that was used, and the reason for a failure
   */
  async convert(body: string, changes: Partial<Call> = {}) {
    const input = { params: packetOf(), body: Buffer.from(body) };
    await this.ask('convertPacket', input, changes);
    const { id } = input.params;
    const { converted, finished } = this.neighbours;
    return until(`the outcome of ${id}`, () => {
      const passed = converted.find((one) => one.pos_data_id === id);
      if (passed) return { mapping: passed.mapping, failure: null };
      return finished.find((one) => one.id === id);
    });
  }

  /** The retailer's documents in a collection. */
  async kept<K extends keyof Documents>(name: K): Promise<Documents[K][]> {
    const { retailer } = this;
    const found = await this.database?.db.collection(name).find({ retailer }).sort({ _id: 1 }).toArray();
    return found as unknown as Documents[K][];
  }

  /** Deletes the state of the retailer's mappings, as if a process had crashed before writing it. */
  async loseHeads(): Promise<void> {
    await this.database?.db.collection('mappings').deleteMany({ retailer: this.retailer });
  }
}

/** The world of a test file; each of its tests has its own retailer. */
export function worldOfTests(): World {
  const world = new World();
  beforeAll(() => world.start(), 60_000);
  beforeEach(() => void (world.retailer = newId()));
  afterAll(() => world.stop());
  return world;
}
