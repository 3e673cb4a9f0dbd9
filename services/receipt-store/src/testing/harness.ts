import {
  type discardRawData,
  type findRawData,
  finishPacket,
  receiptStoreContracts as contracts,
  type RawDataSelection,
  type Retailer,
  type ReturnedReceipt,
  type StoreRecord,
  type TillContact,
} from '@receipts/contracts';
import {
  newId,
  ServiceError,
  type Call,
  type Contract,
  type Input,
  type ReceivedReply,
} from '@receipts/kernel';
import { FakeBroker } from '@receipts/messaging/testing';
import { connectDatabase, type Database } from '@receipts/storage';
import type { CommandStartedEvent } from 'mongodb';
import { startMongo, testDatabase, type Mongo, silentLog } from '@receipts/testing';
import type { ReceiptStore } from '../use-cases/create-dependencies';
import { startService } from '../service';
import { callOf, postedReceipt } from './samples';

export const idSecret = 'a secret for tests only';
export const publicUrl = 'https://receipts.example';
export const receiptBytesMax = 2 * 1024 * 1024;

type FoundPacket = ReceivedReply<typeof findRawData>['body']['packets'][number];

/** Raw data in ingest, the requests to delete some of it, and ingest's answer. */
interface Discards {
  /** Packets that were converted, as found by id or, if it was posted with one, by its identifier. */
  readonly packets: (FoundPacket & { readonly identifier?: string })[];
  readonly asked: Input<typeof discardRawData>['body'][];
  isComplete: boolean;
}

type PacketOutcome = Input<typeof finishPacket>['body'];

/** The receipts of a packet as passed on by transform; each is made from a part of its own. */
export const convertedPacket = (
  packet: string,
  receipts: readonly { readonly id: string; readonly receipt?: Parameters<typeof postedReceipt>[0] }[],
) => ({
  pos_data_id: packet,
  attempt: 1,
  mapping: { id: 'm', version: 2 },
  receipts: receipts.map(({ id, receipt }, part) => ({ id, part, receipt: postedReceipt(receipt) })),
});

function answerForRawData(fake: FakeBroker, discards: Discards): void {
  fake.answers.set('ingest.find-raw-data', (selection: RawDataSelection) => {
    const isSelected = ({ id, identifier }: Discards['packets'][number]) =>
      'packets' in selection
        ? selection.packets.includes(id)
        : 'identifier' in selection && selection.identifier === identifier;
    const packets = discards.packets.filter(isSelected);
    return { packets, attachments: [], is_complete: discards.isComplete, next: null };
  });
  fake.answers.set('ingest.discard-raw-data', (body: Discards['asked'][number]) => {
    discards.asked.push(body);
    const isDone = ({ id }: FoundPacket) =>
      [...body.packets, ...body.anonymized].some((one) => one.id === id);
    if (discards.isComplete)
      discards.packets.splice(0, Infinity, ...discards.packets.filter((one) => !isDone(one)));
    return { is_complete: discards.isComplete };
  });
}

/** The service on a real database, with fakes of the broker and the other services. */
export class Harness {
  private constructor(
    readonly mongo: Pick<Mongo, 'uri' | 'stop'>,
    readonly database: Database,
    readonly fake: FakeBroker,
    readonly service: ReceiptStore,
    readonly retailers: Retailer[],
    readonly stores: StoreRecord[],
    /** The difference between the service's clock and the real one. */
    readonly clock: { aheadMs: number },
    readonly discards: Discards,
    /** What ingest knows of the tills of all retailers. */
    readonly contacts: TillContact[],
  ) {}

  /** @param given a store with existing data, and the name of its database */
  static async start(given?: {
    readonly mongo: Pick<Mongo, 'uri' | 'stop'>;
    readonly database: string;
  }): Promise<Harness> {
    const { mongo, database: databaseName } = given ?? {
      mongo: await startMongo(),
      database: testDatabase(),
    };
    const database = await connectDatabase({
      // Used by tests that measure the cost of a request.
      uri: `${mongo.uri}${mongo.uri.includes('?') ? '&' : '/?'}monitorCommands=true`,
      database: databaseName,
      service: 'test',
      log: silentLog,
    });
    const fake = new FakeBroker();
    const retailers: Retailer[] = [];
    const stores: StoreRecord[] = [];
    fake.answers.set('admin.list-retailers', () => ({ retailers, next: null }));
    fake.answers.set('admin.list-store-records', () => ({ stores, next: null }));
    fake.answers.set('admin.find-retailer', ({ id }: { id: string }) => ({
      retailer: retailers.find((retailer) => retailer.id === id) ?? null,
    }));
    const contacts: TillContact[] = [];
    fake.answers.set('ingest.find-till-contacts', () => ({ contacts }));
    fake.answers.set('ingest.finish-packet', () => undefined);
    const discards: Discards = { packets: [], asked: [], isComplete: true };
    answerForRawData(fake, discards);
    fake.answers.set('admin.find-store', ({ reference }: { reference: string }, call: Call) => ({
      store:
        stores.find(
          (found) =>
            found.retailer === call.retailer &&
            (found.external_reference === reference || found.reference === Number(reference)),
        ) ?? null,
    }));
    const clock = { aheadMs: 0 };
    const now = () => new Date(Date.now() + clock.aheadMs);
    const service = await startService({
      broker: fake,
      database,
      log: silentLog,
      idSecret,
      publicUrl,
      receiptBytesMax,
      now,
    });
    return new Harness(mongo, database, fake, service, retailers, stores, clock, discards, contacts);
  }

  async stop(): Promise<void> {
    await this.service.stop();
    await this.database.close();
    await this.mongo.stop();
  }

  /** A retailer that no other test uses. */
  retailer(make: (id: string) => Retailer): string {
    const id = `r-${newId()}`;
    this.retailers.push(make(id));
    return id;
  }

  /** Posts receipts in one batch and returns their ids, in order. */
  async post(retailer: string, receipts: readonly Parameters<typeof postedReceipt>[0][]): Promise<string[]> {
    const items = receipts.map((change) => ({
      input: { body: postedReceipt(change) },
      call: callOf(retailer),
    }));
    const outcomes = await this.fake.callAll(contracts.createReceipt, items);
    return outcomes.map((outcome) => {
      if (outcome instanceof ServiceError) throw outcome;
      return (outcome.body as { id: string }).id;
    });
  }

  /** Sends a query whose reply is JSON bytes. */
  async read<T>(contract: Contract, input: Partial<Input>, call: Call): Promise<T> {
    const { body } = await this.fake.call(contract, input, call);
    return JSON.parse(String(body)) as T;
  }

  /** Stores the receipts of a converted packet. @returns the outcome that is reported to ingest */
  async convert(
    retailer: string,
    packet: string,
    receipts: readonly { readonly id: string; readonly receipt?: Parameters<typeof postedReceipt>[0] }[],
    changes: Partial<Call> = {},
  ): Promise<PacketOutcome> {
    const body = convertedPacket(packet, receipts);
    await this.fake.call(contracts.addConvertedReceipts, { body }, callOf(retailer, changes));
    const ids = receipts.map(({ id }) => id);
    this.discards.packets.push({ id: packet, version: 1, receipts: ids, attachments: [] });
    return this.outcomeOf(packet);
  }

  /** The outcome of a packet that was last reported to ingest. */
  outcomeOf(packet: string): PacketOutcome {
    const reports = this.fake.received.filter(({ name }) => name === finishPacket.name);
    const bodies = reports.map(({ request }) => JSON.parse(request.body.toString()) as PacketOutcome);
    const last = bodies.findLast(({ id }) => id === packet);
    if (!last) throw new Error(`no outcome of ${packet} was reported`);
    return last;
  }

  /** Resolves when the events of all previous work are published. */
  flushEvents(): Promise<void> {
    return this.service.flushEvents();
  }

  /** Starts counting; the result lists the commands to the collection of receipts since then. */
  commands(): () => readonly string[] {
    const names: string[] = [];
    this.database.db.client.on('commandStarted', ({ commandName, command }: CommandStartedEvent) => {
      if ((command as Record<string, unknown>)[commandName] === 'receipts') names.push(commandName);
    });
    return () => [...names];
  }

  get(retailer: string, id: string): Promise<ReturnedReceipt> {
    return this.read(contracts.getReceipt, { params: { id }, query: {} }, callOf(retailer));
  }
}

export { refusal } from '@receipts/testing';
