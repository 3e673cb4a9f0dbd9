import type { Database } from '@receipts/storage';
import { startDatabase } from '@receipts/testing';
import { PortalSignIns, portalSignInsDeclaration, type PortalSignInDocument } from './portal-sign-ins';

let database: Database;
let signIns: PortalSignIns;
let now: Date;

beforeAll(async () => {
  database = await startDatabase('admin');
  signIns = new PortalSignIns(await database.collection<PortalSignInDocument>(portalSignInsDeclaration));
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});
beforeEach(async () => {
  now = new Date('2026-05-17T10:00:00Z');
  await database.db.collection(portalSignInsDeclaration.name).deleteMany({});
});

const email = 'jo@demo.example';
const office = '192.0.2.1';
const signal = () => AbortSignal.timeout(10_000);
const isAllowed = (network: string, address = email) =>
  signIns.isAllowed({ email: address, network }, now, signal());
const succeed = (network: string) => signIns.succeeded({ email, network }, now, signal());
const forget = (network: string) => signIns.forget({ email, network }, signal());
const pass = (minutes: number) => (now = new Date(now.getTime() + minutes * 60_000));

/** The number of attempts that are allowed, at most 20. */
async function attemptsFrom(network: string): Promise<number> {
  const allowed = await Promise.all(Array.from({ length: 20 }, () => isAllowed(network)));
  return allowed.filter(Boolean).length;
}

it('allows ten wrong passwords of a network in 15 minutes, also if they are concurrent', async () => {
  expect(await attemptsFrom('2001:db8:1:2::/64')).toBe(10);
  expect(await isAllowed('2001:db8:1:3::/64')).toBe(true);
  expect(await isAllowed('2001:db8:1:2::/64', 'other@demo.example')).toBe(true);
  pass(14);
  expect(await isAllowed('2001:db8:1:2::/64')).toBe(false);
  pass(1);
  expect(await attemptsFrom('2001:db8:1:2::/64')).toBe(10);
});

it('allows a hundred wrong passwords of all networks, but never refuses a network of the user', async () => {
  await succeed(office);
  for (let n = 0; n < 10; n++) expect(await attemptsFrom(`198.51.100.${n}`)).toBe(10);
  expect(await isAllowed('203.0.113.1')).toBe(false);
  expect(await isAllowed(office)).toBe(true);
  await succeed(office);
  // Its own wrong passwords count in any network.
  expect(await attemptsFrom(office)).toBe(10);
});

it('remembers a network for 30 days after the last time the user signed in from it', async () => {
  await succeed(office);
  pass(20 * 24 * 60);
  await succeed(office);
  pass(30 * 24 * 60 - 1);
  for (let n = 0; n < 10; n++) await attemptsFrom(`198.51.100.${n}`);
  expect(await isAllowed(office)).toBe(true);
  pass(1);
  expect(await isAllowed(office)).toBe(false);
});

it('does not count right passwords', async () => {
  for (let n = 0; n < 120; n++) {
    expect(await isAllowed(office)).toBe(true);
    await succeed(office);
  }
  expect(await isAllowed('203.0.113.1')).toBe(true);
});

it('forgets the guesses of an old password', async () => {
  for (let n = 0; n < 10; n++) await attemptsFrom(`198.51.100.${n}`);
  expect(await isAllowed(office)).toBe(false);
  await forget(office);
  expect(await attemptsFrom(office)).toBe(10);
});

it('stores neither addresses nor networks', async () => {
  await isAllowed(office);
  await succeed(office);
  const stored = await database.db.collection(portalSignInsDeclaration.name).find().toArray();
  expect(stored.length).toBeGreaterThan(0);
  expect(JSON.stringify(stored)).not.toMatch(/demo|192/);
});
