import { MongoError } from '../errors';
import { firstFieldName } from '../bson/value';
import { errorAnswer } from '../wire/error-answer';
import { Damaged } from '../store/seal';
import type { Request } from '../wire/message';
import * as aggregation from './aggregate';
import {
  saslContinueFields,
  saslStartFields,
  checkAuthenticated,
  saslContinue,
  saslStart,
} from './authenticate';
import type { Session } from './session';
import * as collections from './collections';
import { Command } from './command';
import * as counting from './count';
import * as deletes from './delete';
import * as distincts from './distinct';
import type { Engine } from './engine';
import * as explaining from './explain';
import * as finds from './find';
import * as modify from './find-and-modify';
import * as indexes from './indexes';
import * as inserts from './insert';
import * as info from './server-info';
import * as updates from './update';

interface Handler {
  readonly fields: ReadonlySet<string>;
  /**
   * The namespace that the reply depends on, or undefined if it depends on the whole catalog. Absent for commands that
   * do not read.
   */
  readonly reads?: (command: Command) => string | undefined;
  readonly run: (command: Command, engine: Engine) => Buffer | Promise<Buffer>;
}

const one = (command: Command): string => command.namespace;
const several = (): undefined => undefined;
const ofCursor = (command: Command): string => `${command.database}.${command.string('collection') ?? ''}`;

const ok = (): Buffer => info.okReply;

const handlers: Readonly<Record<string, Handler>> = {
  hello: { fields: info.helloFields, run: info.hello },
  isMaster: { fields: info.helloFields, run: info.hello },
  ismaster: { fields: info.helloFields, run: info.hello },
  saslStart: { fields: saslStartFields, run: saslStart },
  saslContinue: { fields: saslContinueFields, run: saslContinue },
  ping: { fields: new Set(['ping']), run: ok },
  buildInfo: { fields: new Set(['buildInfo']), run: info.buildInfo },
  buildinfo: { fields: new Set(['buildinfo']), run: info.buildInfo },
  connectionStatus: { fields: new Set(['connectionStatus', 'showPrivileges']), run: info.connectionStatus },
  serverStatus: { fields: new Set(['serverStatus']), run: info.serverStatus },
  endSessions: { fields: new Set(['endSessions']), run: ok },
  refreshSessions: { fields: new Set(['refreshSessions']), run: ok },
  insert: { fields: inserts.insertFields, run: inserts.insert },
  update: { fields: updates.updateFields, run: updates.update },
  delete: { fields: deletes.deleteFields, run: deletes.deleteDocuments },
  findAndModify: { fields: modify.findAndModifyFields, run: modify.findAndModify },
  findandmodify: { fields: modify.findAndModifyFields, run: modify.findAndModify },
  find: { fields: finds.findFields, run: finds.find, reads: one },
  getMore: { fields: finds.getMoreFields, run: finds.getMore, reads: ofCursor },
  killCursors: { fields: finds.killCursorsFields, run: finds.killCursors },
  count: { fields: counting.countFields, run: counting.count, reads: one },
  distinct: { fields: distincts.distinctFields, run: distincts.distinct, reads: one },
  aggregate: { fields: aggregation.aggregateFields, run: aggregation.aggregate, reads: one },
  explain: { fields: explaining.explainFields, run: explaining.explain, reads: several },
  create: { fields: collections.createFields, run: collections.create },
  drop: { fields: collections.dropFields, run: collections.drop },
  dropDatabase: { fields: collections.dropDatabaseFields, run: collections.dropDatabase },
  listCollections: {
    fields: collections.listCollectionsFields,
    run: collections.listCollections,
    reads: several,
  },
  listDatabases: {
    fields: collections.listDatabasesFields,
    run: collections.listDatabases,
    reads: several,
  },
  collStats: { fields: collections.collStatsFields, run: collections.collStats, reads: one },
  createIndexes: { fields: indexes.createIndexesFields, run: indexes.createIndexes },
  dropIndexes: { fields: indexes.dropIndexesFields, run: indexes.dropIndexes },
  listIndexes: { fields: indexes.listIndexesFields, run: indexes.listIndexes, reads: one },
};

/** Runs the command of a request. An error becomes its reply. */
export async function answer(
  request: Request,
  session: Session,
  engine: Engine,
  onFault: (error: unknown) => void,
): Promise<Buffer> {
  const name = firstFieldName(request.body) ?? '';
  let asked: { total: number; failed: number } | undefined;
  try {
    const handler = Object.hasOwn(handlers, name) ? handlers[name] : undefined;
    if (handler === undefined) throw new MongoError(59, `no such command: '${name}'`);
    asked = askedOf(engine, name);
    asked.total++;
    const command = new Command(name, request, session);
    checkAuthenticated(command, engine);
    command.check(handler.fields);
    return await (handler.reads === undefined
      ? handler.run(command, engine)
      : reading(handler, handler.reads(command), command, engine));
  } catch (error) {
    if (asked !== undefined) asked.failed++;
    if (!(error instanceof MongoError) || error instanceof Damaged) onFault(error);
    return errorAnswer(error);
  }
}

function askedOf(engine: Engine, name: string): { total: number; failed: number } {
  let asked = engine.asked.get(name);
  if (asked === undefined) engine.asked.set(name, (asked = { total: 0, failed: 0 }));
  return asked;
}

/** A reply never contains a part of a write, or a write that is not on disk yet. */
async function reading(
  handler: Handler,
  namespace: string | undefined,
  command: Command,
  engine: Engine,
): Promise<Buffer> {
  if (engine.writes.readable(namespace) !== undefined) await engine.writes.untilReadable(namespace);
  const found = await handler.run(command, engine);
  const shown = engine.writes.shown(namespace);
  if (shown !== undefined) await shown;
  return found;
}
