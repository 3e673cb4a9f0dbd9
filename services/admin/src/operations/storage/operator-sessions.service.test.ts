import { startDatabase } from '@receipts/testing';
import type { Collection } from 'mongodb';
import {
  OperatorSessions,
  operatorSessionsDeclaration,
  type OperatorSessionDocument,
} from './operator-sessions';

let collection: Collection<OperatorSessionDocument>;
let close: () => Promise<void>;

beforeAll(async () => {
  const database = await startDatabase('admin');
  collection = await database.collection<OperatorSessionDocument>(operatorSessionsDeclaration);
  close = async () => {
    await database.db.dropDatabase();
    await database.close();
  };
});
afterAll(() => close());

const token = 'the-token-of-the-operator';
// The index that removes expired sessions uses the real clock.
const start = Date.now();
const at = (minutes: number) => new Date(start + minutes * 60_000);
const signal = new AbortController().signal;
const sessionsOf = (tokens: Readonly<Record<string, string>> = { ann: token }, emails: string[] = []) =>
  new OperatorSessions(collection, { tokens, emails });

async function begun(): Promise<string> {
  const begun = await sessionsOf().begin(token, at(0), signal);
  if (!begun) throw new Error('no session');
  return begun.secret;
}

const isThere = async (secret: string, minutes: number, isAttended = true, sessions = sessionsOf()) =>
  (await sessions.find(secret, isAttended, at(minutes), signal)) !== undefined;

it('can only be created with the token, and is found by its secret', async () => {
  for (const wrong of ['', `${token}x`, token.slice(1), token.toUpperCase()]) {
    expect(await sessionsOf().begin(wrong, at(0), signal)).toBeUndefined();
  }
  const secret = await begun();
  expect(await sessionsOf().find(secret, true, at(1), signal)).toMatchObject({ operator: 'ann' });
  expect(await isThere(`${secret}x`, 1)).toBe(false);
});

it('stores neither the secret nor the token', async () => {
  const secret = await begun();
  const kept = JSON.stringify(await collection.find().toArray());
  expect(kept).not.toContain(secret);
  expect(kept).not.toContain(token);
});

it('ends after half an hour without use, even if a script polls, and after eight hours', async () => {
  const left = await begun();
  expect(await isThere(left, 29, false)).toBe(true);
  expect(await isThere(left, 31)).toBe(false);
  const used = await begun();
  for (let minutes = 20; minutes < 480; minutes += 20) expect(await isThere(used, minutes)).toBe(true);
  expect(await isThere(used, 481)).toBe(false);
});

it('ends when the token changes, or when access by the operator is disabled', async () => {
  const secret = await begun();
  expect(await isThere(secret, 1, true, sessionsOf({ ann: 'another-token' }))).toBe(false);
  expect(await isThere(secret, 1, true, sessionsOf({ bob: token }))).toBe(false);
  const nobody = sessionsOf({});
  expect(await isThere(secret, 1, true, nobody)).toBe(false);
  expect(await nobody.begin('', at(0), signal)).toBeUndefined();
  expect(await isThere(secret, 1)).toBe(true);
});

it('begins for an operator whose address is confirmed, and ends once it is no longer that of an operator', async () => {
  const sessions = sessionsOf({}, ['ann@operator.example']);
  const secret = (await sessions.beginAs('ann@operator.example', at(0), signal)) ?? '';
  expect(await sessions.find(secret, true, at(1), signal)).toMatchObject({
    operator: 'ann@operator.example',
  });
  expect(await sessions.beginAs('eve@operator.example', at(0), signal)).toBeUndefined();
  expect(await sessionsOf().beginAs('ann', at(0), signal)).toBeUndefined();
  // The credential of a confirmed address is no token.
  expect(await sessions.begin('confirmed ann@operator.example', at(0), signal)).toBeUndefined();
  expect(await isThere(secret, 1, true, sessionsOf({ 'ann@operator.example': token }))).toBe(false);
});

it('can be ended individually or with all others', async () => {
  const [one, other] = [await begun(), await begun()];
  await sessionsOf().end(one, signal);
  expect([await isThere(one, 1), await isThere(other, 1)]).toEqual([false, true]);
  await sessionsOf().endAll(signal);
  expect(await isThere(other, 1)).toBe(false);
});
