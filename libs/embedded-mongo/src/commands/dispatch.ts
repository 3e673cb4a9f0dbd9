import { MongoError } from '../errors';
import { firstFieldName } from '../bson/value';
import { errorAnswer } from '../wire/error-answer';
import { Damaged } from '../store/seal';
import { commandFields, type CommandName } from '../supported';
import type { Request } from '../wire/message';
import { aggregate } from './aggregate';
import { checkAuthenticated, saslContinue, saslStart } from './authenticate';
import { create, drop, dropDatabase, listCollections, listDatabases } from './collections';
import { Command } from './command';
import { count } from './count';
import { deleteDocuments } from './delete';
import type { Engine } from './engine';
import { explain } from './explain';
import { find, getMore, killCursors } from './find';
import { findAndModify } from './find-and-modify';
import { createIndexes, listIndexes } from './indexes';
import { insert } from './insert';
import { buildInfo, connectionStatus, hello, okReply } from './server-info';
import type { Session } from './session';
import { update } from './update';

type Run = (command: Command, engine: Engine) => Buffer | Promise<Buffer>;

const ok: Run = () => okReply;

const handlers: Readonly<Record<CommandName, Run>> = {
  hello,
  ismaster: hello,
  saslStart,
  saslContinue,
  ping: ok,
  buildInfo,
  buildinfo: buildInfo,
  connectionStatus,
  endSessions: ok,
  find,
  getMore,
  killCursors,
  count,
  aggregate,
  explain,
  insert,
  update,
  delete: deleteDocuments,
  findAndModify,
  create,
  drop,
  dropDatabase,
  listCollections,
  listDatabases,
  createIndexes,
  listIndexes,
};

const wholeCatalog: unique symbol = Symbol('the whole catalog');
const oneCollection = (command: Command): string => command.namespace;

/** The data that replies to read commands depend on: a namespace or the whole catalog. */
const readers: Partial<Record<CommandName, typeof wholeCatalog | ((command: Command) => string)>> = {
  find: oneCollection,
  getMore: (command) => `${command.database}.${command.string('collection') ?? ''}`,
  count: oneCollection,
  aggregate: oneCollection,
  explain: wholeCatalog,
  listCollections: wholeCatalog,
  listDatabases: wholeCatalog,
  listIndexes: oneCollection,
};

/** Runs the command of a request. An error becomes its reply. */
export async function answer(
  request: Request,
  session: Session,
  engine: Engine,
  onFault: (error: unknown) => void,
): Promise<Buffer> {
  const name = (firstFieldName(request.body) ?? '') as CommandName;
  try {
    const fields = commandFields.get(name);
    if (fields === undefined) throw new MongoError(59, `no such command: '${name}'`);
    const command = new Command(name, request, session);
    checkAuthenticated(command, engine);
    command.check(fields);
    const reads = readers[name];
    if (reads === undefined) return await handlers[name](command, engine);
    return await reading(name, reads === wholeCatalog ? undefined : reads(command), command, engine);
  } catch (error) {
    if (!(error instanceof MongoError) || error instanceof Damaged) onFault(error);
    return errorAnswer(error);
  }
}

/** A reply never reflects a partial write, or a write that is not on disk yet. */
async function reading(
  name: CommandName,
  namespace: string | undefined,
  command: Command,
  engine: Engine,
): Promise<Buffer> {
  if (engine.writes.readable(namespace) !== undefined) await engine.writes.untilReadable(namespace);
  const found = await handlers[name](command, engine);
  const shown = engine.writes.shown(namespace);
  if (shown !== undefined) await shown;
  return found;
}
