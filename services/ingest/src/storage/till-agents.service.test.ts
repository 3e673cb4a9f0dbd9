import type { Collection } from 'mongodb';
import type { Database } from '@receipts/storage';
import { startDatabase, silentLog } from '@receipts/testing';
import { TillAgents, tillAgentsDeclaration, type TillAgent } from './till-agents';

/** Clients choose the names of tills, so a client can name as many as it sends requests. */
const bound = 10_000;
const timeLimit = { deadline: Infinity };

let database: Database;
let collection: Collection<TillAgent & { readonly _id: string }>;
let agents: TillAgents;

beforeAll(async () => {
  database = await startDatabase('ingest');
  collection = await database.collection<TillAgent & { readonly _id: string }>(tillAgentsDeclaration);
});
afterAll(() => database.close());
beforeEach(async () => {
  await collection.deleteMany({});
  agents = new TillAgents(collection, silentLog);
});
afterEach(() => agents.stop());

const note = (till: number, atMs: number) =>
  agents.note('shop', { store: '1', till: String(till) }, { version: '1' }, atMs);

it('holds a bounded number of agents in memory, and still updates those that it holds', async () => {
  for (let till = 0; till <= bound; till++) note(till, 1);
  note(0, 2);
  await agents.save();
  expect(await collection.countDocuments()).toBe(bound);
  expect(await collection.findOne({ till: '0' })).toMatchObject({ at: new Date(2) });

  // Further agents are saved with their next request.
  note(bound, 3);
  await agents.save();
  expect(await collection.countDocuments()).toBe(bound + 1);
});

it('finds a bounded number of agents, those that were heard of last', async () => {
  for (let till = 0; till < bound; till++) note(till, 1_000 + till);
  await agents.save();
  for (let till = bound; till < bound + 5; till++) note(till, 1_000 + till);
  agents.note('other', { store: '1', till: 'a' }, {}, 99_000);
  await agents.save();
  const found = await agents.find('shop', timeLimit);
  expect(found).toHaveLength(bound);
  expect([found[0]?.till, found.at(-1)?.till]).toEqual([String(bound + 4), '5']);
});

it('forgets agents that are no longer heard of', async () => {
  const expiring = (await collection.indexes()).filter(({ expireAfterSeconds }) => expireAfterSeconds);
  const days = 30 * 24 * 60 * 60;
  expect(expiring).toEqual([expect.objectContaining({ key: { at: 1 }, expireAfterSeconds: days })]);
});
