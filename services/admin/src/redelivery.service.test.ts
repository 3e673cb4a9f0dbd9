import { adminContracts } from '@receipts/contracts';
import { sealer } from '@receipts/host';
import { newId, type Call, type RequestInput } from '@receipts/kernel';
import { crashAtEveryStep, keyedCommands, crashableDatabases } from '@receipts/testing';
import {
  adminOn,
  adminWorld,
  callOf,
  failsAgain,
  letLeasesRunOut,
  masterKey,
  operatorCall,
  type AdminWorld,
} from './testing/admin-world';

type Contracts = typeof adminContracts;
type Name = keyof Contracts;

let world: AdminWorld;

beforeAll(async () => {
  world = await adminWorld();
});
afterAll(() => world.close());

/** A command, and how to count its effects. `name` differs in each round. */
interface Command {
  readonly contract: Name;
  readonly isOperators?: boolean;
  /** Creates the preconditions; returns what `input` and `effects` need. */
  readonly prepare?: (name: string) => Promise<string>;
  readonly input: (name: string, prepared: string) => object;
  readonly effects: (name: string, prepared: string) => Promise<number>;
}

const count = (collection: string, filter: object) =>
  world.database.db.collection(collection).countDocuments(filter);

async function newClientId(name: string): Promise<string> {
  const params = { authentication: 'bearer' };
  const body = { description: name, permissions: [] };
  return String((await world.ask('createClient', { params, body })).body.id);
}

async function versionOf(collection: string, filter: object): Promise<number> {
  return Number((await world.database.db.collection(collection).findOne(filter))?.['version']);
}

const queue = 'ingest.commands';

/** Two dead letters; one of them fails again when it is replayed. Returns their ids. */
async function addDeadLetters(): Promise<string> {
  const facts = { queue, type: 't', retailer: 'demo', attempts: 1, content: {} };
  const unknown = {
    firstFailedAt: undefined,
    lastFailedAt: undefined,
    traceId: undefined,
    requestId: undefined,
  };
  const added = [failsAgain, 'passes'].map((reason) => ({ ...facts, ...unknown, id: newId(), reason }));
  world.deadLetters.set(queue, [...(world.deadLetters.get(queue) ?? []), ...added]);
  return added.map(({ id }) => id).join();
}

/** How often those of the given messages that are still dead letters have failed. */
const attemptsOf = (ids: string): readonly number[] =>
  (world.deadLetters.get(queue) ?? []).filter(({ id }) => ids.includes(id)).map(({ attempts }) => attempts);

const changesOfClient = async (_name: string, id: string) =>
  (await versionOf('clients', { _id: `demo/${id}` as never })) - 1;

const commands: readonly Command[] = [
  {
    contract: 'createStore',
    input: (name) => ({ body: { name, country: 'FRA' } }),
    effects: (name) => count('stores', { name }),
  },
  {
    contract: 'createStore',
    input: (name) => ({
      body: {
        name,
        country: 'FRA',
        reference: Number.parseInt(name.slice(-6), 16) + 1_000_000,
        external_reference: name,
      },
    }),
    effects: (name) => count('stores', { name }),
  },
  {
    contract: 'createClient',
    input: (name) => ({
      params: { authentication: 'hmac' },
      body: { description: name, permissions: [], key: name.slice(-20) },
    }),
    effects: (name) => count('clients', { description: name }),
  },
  {
    contract: 'createRetailer',
    isOperators: true,
    input: (name) => ({ body: { id: name, name } }),
    effects: (name) => count('retailers', { name }),
  },
  {
    contract: 'createFirstClient',
    isOperators: true,
    prepare: async (name) => {
      await world.ask('createRetailer', { body: { id: name, name } }, operatorCall());
      return name;
    },
    input: (name) => ({
      params: { id: name, authentication: 'bearer' },
      body: { description: name, permissions: ['view.*'] },
    }),
    effects: (name) => count('clients', { retailer: name }),
  },
  {
    contract: 'issueToken',
    prepare: newClientId,
    input: (_name, id) => ({ params: { client_id: id }, body: { expires_in: 3_600 } }),
    effects: (_name, id) => count('tokens', { retailer: 'demo', client: Number(id) }),
  },
  {
    contract: 'revokeTokens',
    prepare: newClientId,
    input: (_name, id) => ({ params: { client_id: id }, body: { all: true } }),
    effects: changesOfClient,
  },
  {
    contract: 'replayDeadLetters',
    isOperators: true,
    prepare: addDeadLetters,
    input: (_name, ids) => ({ body: { queue, ids: ids.split(',') } }),
    // One message was processed, and the other failed once more.
    effects: async (_name, ids) => (attemptsOf(ids).join() === '2' ? 1 : 0),
  },
  {
    contract: 'discardDeadLetters',
    isOperators: true,
    prepare: addDeadLetters,
    input: (_name, ids) => ({ body: { queue, ids: ids.split(',') } }),
    effects: async (_name, ids) => (attemptsOf(ids).length === 0 ? 1 : 0),
  },
];

/** Commands without a key are redelivered like any others. */
const keyless: readonly Command[] = [
  {
    contract: 'patchStore',
    prepare: async (name) => {
      const body = { name, country: 'FRA', address: ['1'] };
      return String((await world.ask('createStore', { body })).body.reference);
    },
    input: (_name, reference) => ({
      params: { reference },
      headers: { 'if-match': '"1"' },
      body: [{ op: 'add', path: '/address/-', value: '2' }],
      contentType: 'application/json-patch+json',
    }),
    effects: async (name) =>
      ((await world.database.db.collection('stores').findOne({ name }))?.['address'] as []).length - 1,
  },
  {
    contract: 'patchClient',
    prepare: newClientId,
    input: (_name, id) => ({
      params: { authentication: 'bearer', client_id: id },
      body: { description: 'changed' },
    }),
    effects: changesOfClient,
  },
];

const ask = (process: AdminWorld, { contract }: Command, input: object, call: Call) =>
  process.ask(contract, input as RequestInput<Contracts[Name]>, call);

/** A reply without members that are returned only once. */
const published = ({ body }: { body: unknown }) => ({
  ...(body as object),
  secret: undefined,
  token: undefined,
});

const crashables = () => crashableDatabases(world.database);
const lives = {
  start: (database: AdminWorld['database']) => adminOn(database, undefined, world.deadLetters),
  stop: (process: AdminWorld) => process.stop(),
};

const forTitle = (list: readonly Command[]) =>
  list.map((command, n) => [`${command.contract} ${n}`, command] as const);

it('covers every command that accepts an idempotency key', () => {
  // `create-subscription.service.test.ts` crashes the process in the last step.
  const tried = new Set<Name>([...commands.map(({ contract }) => contract), 'createSubscription']);
  expect([...tried].sort()).toEqual(keyedCommands(adminContracts));
});

it.each(forTitle(commands))(
  'has one effect and one reply if %s crashes at any step and is retried with its key',
  async (_title, command) => {
    const crashes = await crashAtEveryStep<AdminWorld['database'], AdminWorld>({
      crashable: crashables(),
      ...lives,
      keyed: 'at once',
      command: async () => {
        const name = newId();
        const prepared = (await command.prepare?.(name)) ?? '';
        const call = () => (command.isOperators ? operatorCall : callOf)({ idempotencyKey: name });
        const input = command.input(name, prepared);
        return {
          execute: (process) => ask(process, command, input, call()),
          async afterwards() {
            await letLeasesRunOut(world.database);
            const first = await ask(world, command, input, call());
            const second = await ask(world, command, input, call());
            expect(published(second)).toEqual(published(first));
            expect(second).toMatchObject({ replayed: true });
            expect(await command.effects(name, prepared)).toBe(1);
          },
        };
      },
    });
    expect(crashes).toBeGreaterThanOrEqual(4);
  },
);

it.each(forTitle([...commands, ...keyless]))(
  'has one effect if %s crashes at any step and is redelivered to another process',
  async (_title, command) => {
    const crashes = await crashAtEveryStep<AdminWorld['database'], AdminWorld>({
      crashable: crashables(),
      ...lives,
      command: async () => {
        const name = newId();
        const prepared = (await command.prepare?.(name)) ?? '';
        const call = command.isOperators ? operatorCall() : callOf();
        const input = command.input(name, prepared);
        return {
          execute: (process) => ask(process, command, input, call),
          async afterwards() {
            const first = await ask(world, command, input, call);
            // The broker delivers the message again if the acknowledgement is lost.
            const second = await ask(world, command, input, call);
            expect(second.body).toEqual(first.body);
            expect(await command.effects(name, prepared)).toBe(1);
          },
        };
      },
    });
    expect(crashes).toBeGreaterThanOrEqual(2);
  },
);

it('creates one object if two processes execute the same call at the same time', async () => {
  const process = await adminOn(world.database, undefined, world.deadLetters);
  for (const command of commands) {
    const name = newId();
    const prepared = (await command.prepare?.(name)) ?? '';
    const call = command.isOperators ? operatorCall() : callOf();
    const input = command.input(name, prepared);
    const executions = [world, process, world, process].map((one) => ask(one, command, input, call));
    const [first, ...others] = await Promise.all(executions);
    for (const other of others) expect(other?.body).toEqual(first?.body);
    expect(await command.effects(name, prepared)).toBe(1);
  }
  await process.stop();
});

/** A database whose data changes each time just before a process checks whether a reference or a key is free. */
function databaseWith(before: () => Promise<unknown>): AdminWorld['database'] {
  const collection = async (declaration: never) => {
    const opened = await world.database.collection(declaration);
    const findOne = async (filter: object, options: object) => {
      if ('reference' in filter || 'key' in filter) await before();
      return opened.findOne(filter, options);
    };
    return new Proxy(opened, {
      get: (target, name) => (name === 'findOne' ? findOne : Reflect.get(target, name, target)),
    });
  };
  return { ...world.database, collection: collection as AdminWorld['database']['collection'] };
}

const choosing = commands.filter(({ input }) => {
  const { body } = input(newId(), '') as { readonly body?: unknown };
  return /"(?:reference|key)":/.test(JSON.stringify(body ?? null));
});

it.each(forTitle(choosing))(
  '%s: does not treat an object that another process created for the same call as a conflict',
  async (_title, command) => {
    const name = newId();
    const [input, call] = [command.input(name, ''), callOf()];
    let made: unknown;
    const process = await adminOn(
      databaseWith(async () => (made = (await ask(world, command, input, call)).body)),
      undefined,
      world.deadLetters,
    );
    const { body } = await ask(process, command, input, call);
    expect(made).toEqual(body);
    expect(await command.effects(name, '')).toBe(1);
    await process.stop();
  },
);

it('returns a secret that works after a crash', async () => {
  const params = { authentication: 'bearer' };
  let published = 0;
  await crashAtEveryStep<AdminWorld['database'], AdminWorld>({
    crashable: crashables(),
    ...lives,
    command: async () => {
      const idempotencyKey = newId();
      const create = (process: AdminWorld) =>
        process.ask(
          'createClient',
          { params, body: { description: 'c', permissions: [] } },
          callOf({ idempotencyKey }),
        );
      return {
        execute: create,
        async afterwards() {
          await letLeasesRunOut(world.database);
          const { body, replayed } = await create(world);
          if (replayed) return;
          const kept = await world.database.db.collection('clients').findOne({ key: body.key });
          expect(sealer(masterKey).open(String(kept?.['secret']))).toBe(body.secret);
          published++;
        },
      };
    },
  });
  expect(published).toBeGreaterThan(0);
});
