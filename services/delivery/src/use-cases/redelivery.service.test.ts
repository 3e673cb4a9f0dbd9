import { defaultRetailerSettings, deliveryContracts } from '@receipts/contracts';
import { newId, type Call, type RequestInput } from '@receipts/kernel';
import { idempotencyCollection, type IdempotencyRecord } from '@receipts/storage';
import { crashAtEveryStep, keyedCommands, crashableDatabases, until } from '@receipts/testing';
import { callOf, receiptOf, retailerOf } from '../testing/samples';
import { startWorld, startWorldOn, type World } from '../testing/world';

type Contracts = typeof deliveryContracts;
type Name = keyof Contracts;

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

/** A command with a new object for each round, and how to count its effects. */
interface Command {
  readonly contract: Name;
  readonly prepare: (retailer: string) => Promise<string>;
  readonly input: (id: string) => object;
  readonly effects: (id: string, retailer: string) => Promise<number>;
  /** The command stores nothing, so without a key there is no step to crash at. */
  readonly storesNothing?: boolean;
}

/** The ids of all calls for a retailer. */
const callIds = new Map<string, string[]>();

const documents = (collection: string) => world.database.db.collection<{ _id: string }>(collection);
const url = 'https://127.0.0.1:9/';

function prepareReceipt(retailer: string): Promise<string> {
  const receipt = receiptOf({ transaction_id: newId(), identifier: 'jane@example.com' });
  world.receipts.set(receipt.id, { retailer, receipt });
  return Promise.resolve(receipt.id);
}

async function prepareEndpoint(retailer: string): Promise<string> {
  return (await world.ask('createWebhookEndpoint', { body: { url } }, callOf(retailer))).body.id;
}

const commands: readonly Command[] = [
  {
    contract: 'sendReceipt',
    prepare: prepareReceipt,
    input: (id) => ({ body: { id, channels: ['email'] } }),
    effects: (id) => documents('deliveries').countDocuments({ receiptId: id }),
  },
  {
    contract: 'revokeReceiptLinks',
    prepare: prepareReceipt,
    input: (id) => ({ params: { id } }),
    effects: async (id, retailer) =>
      Number(
        (await documents('receipt_links').findOne({ _id: `${retailer}|${id}` }))?.['generation' as never],
      ),
  },
  {
    contract: 'createWebhookEndpoint',
    prepare: () => Promise.resolve(''),
    input: () => ({ body: { url } }),
    effects: (_id, retailer) => documents('webhook_endpoints').countDocuments({ retailer }),
  },
  {
    contract: 'rotateWebhookSecret',
    prepare: prepareEndpoint,
    input: (id) => ({ params: { id } }),
    effects: async (id) => {
      const endpoint = await documents('webhook_endpoints').findOne({ _id: id });
      return (endpoint?.['secrets' as never] as unknown as []).length - 1;
    },
  },
  {
    contract: 'testWebhookEndpoint',
    prepare: prepareEndpoint,
    input: (id) => ({ params: { id } }),
    effects: (id) => documents('webhook_deliveries').countDocuments({ endpointId: id }),
  },
  {
    contract: 'replayWebhookDelivery',
    prepare: async (retailer) => {
      const id = await prepareEndpoint(retailer);
      await world.ask('testWebhookEndpoint', { params: { id } }, callOf(retailer));
      const attempted = { endpointId: id, attempts: { $gte: 1 }, claim: { $exists: false } };
      const failed = { $set: { status: 'failed', attempts: 10 } };
      const delivery = await until('an attempt has failed', () =>
        documents('webhook_deliveries')
          .findOneAndUpdate(attempted, failed)
          .then((found) => found ?? undefined),
      );
      return delivery._id;
    },
    input: (id) => ({ params: { id } }),
    // A repeated execution would start all attempts again.
    effects: (id) =>
      documents('webhook_deliveries').countDocuments({ _id: id, restartedBy: { $exists: true } }),
  },
  {
    contract: 'recoverWebhookEndpoint',
    prepare: prepareEndpoint,
    input: (id) => ({ params: { id }, body: { since: '2026-01-01T00:00:00Z' } }),
    effects: (id) => documents('webhook_recoveries').countDocuments({ endpointId: id }),
  },
  {
    contract: 'rotateSigningKeys',
    prepare: () => Promise.resolve(''),
    input: () => ({}),
    effects: (_id, retailer) =>
      documents('signing_keys').countDocuments({ createdBy: { $in: callIds.get(retailer) ?? [] } }),
  },
  {
    contract: 'catchUpDeliveries',
    prepare: () => Promise.resolve(''),
    input: () => ({ body: {} }),
    // The command requests a run, as every process does on startup; only its reply matters.
    effects: () => Promise.resolve(1),
    storesNothing: true,
  },
];

const ask = (process: World, { contract }: Command, input: object, call: Call) =>
  process.ask(contract, input as RequestInput<Contracts[Name]>, call);

/** A reply without members that are returned only once. */
const published = ({ body }: { body: unknown }) => ({
  ...(body as object),
  secret: undefined,
  _links: undefined,
});

/** The claim of a crashed process on a key expires after a while. */
const letLeasesRunOut = () =>
  world.database.db
    .collection<IdempotencyRecord>(idempotencyCollection.name)
    .updateMany({ state: 'running' }, { $set: { leaseUntil: new Date(0) } });

const lives = {
  start: (database: World['database']) => startWorldOn(database),
  stop: (process: World) => process.stop(),
};

/** E-mails without a PDF: creating one takes steps that belong to no command. */
const { channels } = defaultRetailerSettings;
const settings = { channels: { ...channels, email: { ...channels.email, attach_pdf: false } } };

/** A command of a separate retailer, which both processes know. */
async function begin(command: Command) {
  const retailer = `r-${newId()}`;
  world.retailers.set(retailer, retailerOf(retailer, settings));
  const id = await command.prepare(retailer);
  const execute = (process: World, call: Call) => {
    process.retailers.set(retailer, retailerOf(retailer, settings));
    callIds.set(retailer, [...(callIds.get(retailer) ?? []), call.id]);
    const known = world.receipts.get(id);
    if (known) process.receipts.set(id, known);
    return ask(process, command, command.input(id), call);
  };
  return { retailer, execute, effects: () => command.effects(id, retailer) };
}

it('covers every command that accepts an idempotency key', () => {
  expect(commands.map(({ contract }) => contract).sort()).toEqual(keyedCommands(deliveryContracts));
});

const titled = commands.map((command) => [command.contract, command] as const);

it.each(titled)(
  'has one effect if %s crashes at any step and is retried with its key or redelivered',
  async (_title, command) => {
    for (const key of [newId, undefined]) {
      const crashes = await crashAtEveryStep<World['database'], World>({
        crashable: crashableDatabases(world.database),
        ...lives,
        ...(key !== undefined && { keyed: 'at once' as const }),
        command: async () => {
          const { retailer, execute, effects } = await begin(command);
          const idempotencyKey = key?.();
          const delivered = callOf(retailer);
          const call = () =>
            idempotencyKey === undefined ? delivered : callOf(retailer, { idempotencyKey });
          return {
            execute: (process) => execute(process, call()),
            async afterwards() {
              await letLeasesRunOut();
              const first = await execute(world, call());
              const second = await execute(world, call());
              expect(published(second)).toEqual(published(first));
              expect(second.replayed === true).toBe(key !== undefined);
              expect(await effects()).toBe(1);
            },
          };
        },
      });
      const isEmpty = command.storesNothing === true && key === undefined;
      expect(crashes).toBeGreaterThanOrEqual(isEmpty ? 0 : 2);
    }
  },
);

it('returns secrets once, and does not store them for retries', async () => {
  const opening = /whsec_|\/r\/\w/;
  let published = 0;
  for (const command of commands) {
    const { retailer, execute } = await begin(command);
    const call = callOf(retailer, { idempotencyKey: newId() });
    if (opening.test(JSON.stringify((await execute(world, call)).body))) published++;
    const [record] = await world.database.db
      .collection<IdempotencyRecord>(idempotencyCollection.name)
      .find({ _id: { $gte: `${retailer}|`, $lt: `${retailer}~` } })
      .toArray();
    expect(record?.state).toBe('done');
    expect(record?.body?.toString() ?? '').not.toMatch(opening);
  }
  expect(published).toBe(3);
});

it('has one effect if two processes execute the same call at the same time', async () => {
  const process = await startWorldOn(world.database);
  for (const command of commands) {
    const { retailer, execute, effects } = await begin(command);
    const call = callOf(retailer);
    const [first, ...others] = await Promise.all([world, process, world].map((one) => execute(one, call)));
    for (const other of others) expect(other.body).toEqual(first?.body);
    expect(await effects()).toBe(1);
  }
  await process.stop();
});
