import {
  ingestContracts,
  type ConversionOutcome,
  type convertPacket,
  type FailureReason,
  type PacketView,
  type RawDataSelection,
} from '@receipts/contracts';
import {
  idAllotter,
  newId,
  type Call,
  type CloudEvent,
  type Input,
  type ReceivedReply,
  type RequestInput,
} from '@receipts/kernel';
import { FakeBroker } from '@receipts/messaging/testing';
import { inTransitMs, type Database } from '@receipts/storage';
import { callOf as clientCall, checkBody, startDatabase, until, silentLog } from '@receipts/testing';
import type { Service } from '@receipts/host/open-service';
import type { AttachmentDocument } from '../storage/attachments';
import type { PacketDocument } from '../storage/packet-document';
import { startService } from '../service';

type Contracts = typeof ingestContracts;
type Pairs = [name: string, value: string][];

interface Documents {
  readonly packets: PacketDocument;
  readonly attachments: AttachmentDocument;
}

export { refusal, refusalOf } from '@receipts/testing';

export const conversionRetryMs = 60_000;
export const idSecret = 'a secret of sixteen or more';
export const allotter = idAllotter(idSecret);

/** A call as sent by the gateway: the id of its message is the one promised for the receipt. */
export const callOf = (retailer: string, changes: Partial<Call> = {}): Call =>
  clientCall(retailer, { id: allotter.allot(retailer), ...changes });

/** `empty`: converted, but without a receipt. */
export type Outcome = 'converted' | 'empty' | FailureReason;

/** The outcome of a packet as reported by transform. */
export function outcomeOf(id: string, outcome: Outcome, mapping = 'm'): ConversionOutcome {
  const isConverted = outcome === 'converted' || outcome === 'empty';
  const errors = [{ path: '', code: outcome, message: 'it says why' }];
  return {
    receiptIds: outcome === 'converted' ? [id] : [],
    mapping: { id: mapping, version: 2 },
    failure: isConverted ? null : { reason: outcome, errors },
  };
}

interface Posted {
  readonly body?: string;
  readonly query?: Pairs;
  readonly headers?: Pairs;
  readonly contentType?: string;
  readonly call?: Partial<Call>;
  /** The outcome of the packet's conversion, reported once it is requested; none for `unknown`. */
  readonly outcome?: Outcome | 'unknown';
  readonly mapping?: string;
}

type Finished = Partial<ConversionOutcome> & { readonly attempt?: number; readonly call?: Partial<Call> };

interface Uploaded {
  readonly body?: string | Buffer;
  readonly disposition?: string;
  readonly contentType?: string;
  readonly call?: Partial<Call>;
}

/** The service on a real database, with an in-memory broker and fakes of the other services. */
export class World {
  readonly broker = new FakeBroker();
  /** The caller, unless a call names another. */
  retailer = '';
  /** The attachments of consumers' receipts. */
  readonly shown: { readonly consumer: string; readonly attachment: string }[] = [];
  /** The subjects whose stored events delivery was asked to erase. */
  readonly erasedEvents: string[] = [];
  /** The outcomes that the service has counted. */
  readonly counted: string[] = [];
  /** The clock of the service, before `aheadMs` is added. */
  clock: () => number = Date.now;
  aheadMs = 0;
  private database: Database | undefined;
  private service: Service | undefined;

  constructor() {
    this.broker.answers.set('transform.convert-packet', () => undefined);
    this.broker.answers.set('delivery.erase-addresses', ({ receipts }: { receipts: string[] }) => {
      this.erasedEvents.push(...receipts);
    });
    this.broker.answers.set(
      'receipt-store.find-receipt-with-attachment',
      (body: { attachment_id: string }, { consumers = [] }) => {
        const isShown = this.shown.some(
          ({ attachment, consumer }) => attachment === body.attachment_id && consumers.includes(consumer),
        );
        return { receipt_id: isShown ? newId() : null };
      },
    );
  }

  async start(): Promise<void> {
    const database = await startDatabase('ingest');
    this.database = database;
    this.service = await startService({
      broker: this.broker,
      database,
      log: silentLog,
      idSecret,
      basePath: '',
      conversionRetryMs,
      countOutcome: (outcome) => this.counted.push(outcome),
      now: () => new Date(this.clock() + this.aheadMs),
    });
  }

  async stop(): Promise<void> {
    await this.service?.stop();
    await this.database?.close();
  }

  async ask<K extends keyof Contracts>(
    name: K,
    input: RequestInput<Contracts[K]> & { readonly contentType?: string },
    changes: Partial<Call> = {},
  ): Promise<ReceivedReply<Contracts[K]>> {
    const contract = ingestContracts[name];
    checkBody(contract, (input as { body?: unknown }).body);
    const call = callOf(changes.retailer ?? this.retailer, changes);
    return this.broker.ask(contract, input, call) as Promise<ReceivedReply<Contracts[K]>>;
  }

  async accept(posted: Posted = {}): Promise<ReceivedReply<Contracts['acceptPacket']>> {
    const { body = 'Sales: 1', query = [], headers = [], contentType = 'text/plain', call } = posted;
    const input = {
      query: { free: query },
      headers: { free: headers },
      contentType,
      body: Buffer.from(body),
    };
    return this.ask('acceptPacket', input, call);
  }

  /** Posts a packet, reports the outcome of its conversion, and returns its id. */
  async post(posted: Posted = {}): Promise<string> {
    const { outcome = 'converted', mapping, call } = posted;
    const { id } = (await this.accept(posted)).meta;
    if (outcome === 'unknown') return id;
    const reported = outcomeOf(id, outcome, mapping);
    await this.finish(id, outcome, { ...reported, call: { ...call, id: newId() } });
    return id;
  }

  /** Posts an attachment and returns its id. */
  async upload({ body = 'bytes', contentType = 'text/plain', ...more }: Uploaded = {}): Promise<string> {
    const { disposition = 'attachment; filename="a.txt"', call } = more;
    const headers = { 'content-disposition': disposition };
    const input = { headers, contentType, body: Buffer.from(body) };
    return (await this.ask('createAttachment', input, call)).body.id;
  }

  /** Reports the outcome of a conversion, as transform and receipt-store do. */
  async finish(id: string, outcome: Outcome, { attempt = 1, call, ...more }: Finished = {}): Promise<void> {
    await this.ask('finishPacket', { body: { id, attempt, ...outcomeOf(id, outcome), ...more } }, call);
  }

  /**
   * Deletes raw data as receipt-store does if no receipt needs it, when the events so far have arrived.
   * @returns false if some is left for later
   */
  async discard(
    selection: RawDataSelection,
    attachments: readonly string[] = [],
    changes: Partial<Call> = {},
  ): Promise<boolean> {
    this.aheadMs += inTransitMs;
    const found = (await this.ask('findRawData', { body: selection }, changes)).body;
    const body = {
      packets: found.packets.map(({ id, version }) => ({ id, version })),
      attachments: [...attachments, ...found.attachments, ...found.packets.flatMap((one) => one.attachments)],
      anonymized: [],
    };
    const discarded = (await this.ask('discardRawData', { body }, changes)).body;
    return found.is_complete && discarded.is_complete;
  }

  async packet(id: string): Promise<PacketView> {
    return (await this.ask('getPacket', { params: { id } })).body;
  }

  /** The retailer's documents in a collection, oldest first. */
  async kept<K extends keyof Documents>(name: K): Promise<Documents[K][]> {
    const { retailer } = this;
    const found = await this.database?.db.collection(name).find({ retailer }).sort({ _id: 1 }).toArray();
    return found as unknown as Documents[K][];
  }

  /** The conversion requests of a packet, once there are this many. */
  conversionRequests(id: string, count = 1) {
    return until(`order ${count} of ${id}`, () => {
      const found = this.broker.received.flatMap(({ name, request, call }) => {
        const params = request.params as Input<typeof convertPacket>['params'];
        const isOrder = name === 'transform.convert-packet' && params.id === id;
        return isOrder ? [{ params, body: request.body.toString(), call }] : [];
      });
      return found.length >= count && found;
    });
  }

  /** The events of a packet or an attachment in order, once there are this many. */
  events(id: string, count = 1): Promise<CloudEvent[]> {
    return until(`event ${count} of ${id}`, () => {
      const found = this.broker.published.filter(({ subject }) => subject === id);
      return found.length >= count && found.sort((a, b) => a.sequence - b.sequence);
    });
  }
}

/** The world of a test file; each of its tests has its own retailer. */
export function worldOfTests(): World {
  const world = new World();
  beforeAll(() => world.start(), 60_000);
  beforeEach(() => {
    world.retailer = newId();
    // A test that failed may have left it away.
    world.broker.isAway = false;
  });
  afterAll(() => world.stop());
  return world;
}
