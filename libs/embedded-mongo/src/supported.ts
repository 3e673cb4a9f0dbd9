/**
 * Everything that clients may send: what the services, their tests and the end-to-end tests send, and what mongosh and
 * Compass need to connect, list, find, sort and count. The parsers use these lists. Everything else is rejected with
 * MongoDB's own error code, so that a service's test fails when the service sends anything new. `supported.test.ts`
 * finds names that nothing sends any more.
 */

/** The fields that any command may have, in addition to its name and its own fields. */
export const genericFields: ReadonlySet<string> = new Set([
  '$db',
  'lsid',
  'readConcern',
  'writeConcern',
  'maxTimeMS',
]);

export const readConcernFields: ReadonlySet<string> = new Set(['level']);
export const writeConcernFields: ReadonlySet<string> = new Set(['w', 'j']);

/** The commands, and their fields, that the driver sends to connect, and to manage cursors and sessions. */
const driverCommands = {
  hello: [],
  ismaster: [
    'client',
    'compression',
    'helloOk',
    'backpressure',
    'saslSupportedMechs',
    'speculativeAuthenticate',
  ],
  saslStart: ['mechanism', 'payload', 'options', 'autoAuthorize'],
  saslContinue: ['conversationId', 'payload'],
  getMore: ['collection', 'batchSize'],
  killCursors: ['cursors'],
  endSessions: [],
} satisfies Record<string, readonly string[]>;

/** The commands, and their fields, of the services and their tests. */
export const serviceCommands = {
  ping: [],
  buildInfo: [],
  find: ['filter', 'sort', 'projection', 'hint', 'skip', 'limit', 'batchSize', 'singleBatch', 'allowDiskUse'],
  count: [],
  aggregate: ['pipeline', 'cursor', 'hint'],
  explain: ['verbosity'],
  insert: ['documents', 'ordered'],
  update: ['updates', 'ordered'],
  delete: ['deletes', 'ordered'],
  findAndModify: ['query', 'sort', 'update', 'new', 'fields', 'upsert', 'remove', 'hint'],
  create: [],
  drop: [],
  dropDatabase: [],
  listCollections: ['filter', 'nameOnly', 'authorizedCollections', 'cursor'],
  listDatabases: ['filter', 'nameOnly'],
  createIndexes: ['indexes'],
  listIndexes: ['cursor'],
} satisfies Record<string, readonly string[]>;

/** What mongosh and Compass also send to connect, list and count. Compass counts with the stage $skip. */
const shellCommands = {
  buildinfo: [],
  connectionStatus: ['showPrivileges'],
  count: ['query'],
  listDatabases: ['authorizedDatabases'],
} satisfies Record<string, readonly string[]>;

export type CommandName =
  | keyof typeof driverCommands
  | keyof typeof serviceCommands
  | keyof typeof shellCommands;

/** The permitted fields of each command, including its name. */
export const commandFields: ReadonlyMap<string, ReadonlySet<string>> = merged(
  driverCommands,
  serviceCommands,
  shellCommands,
);

function merged(...lists: readonly Readonly<Record<string, readonly string[]>>[]) {
  const all = new Map<string, Set<string>>();
  for (const [name, fields] of lists.flatMap((list) => Object.entries(list)))
    all.set(name, new Set([...(all.get(name) ?? [name]), ...fields]));
  return all;
}

export const updateStatementFields: ReadonlySet<string> = new Set(['q', 'u', 'multi', 'upsert']);
export const deleteStatementFields: ReadonlySet<string> = new Set(['q', 'limit']);

export const indexFields: ReadonlySet<string> = new Set([
  'key',
  'name',
  'unique',
  'sparse',
  'partialFilterExpression',
  'expireAfterSeconds',
]);

/** The tests of values that a partial index may use. */
export const partialIndexTests: ReadonlySet<string> = new Set(['gt', 'exists']);

/** The operators of filters that combine filters. */
export const logicalOperators = ['$and', '$or', '$nor'] as const;
/** The operators of filters on a field. */
export const fieldOperators = [
  ...(['$gt', '$gte', '$lt', '$lte', '$ne', '$in', '$nin'] as const),
  ...(['$exists', '$regex', '$all', '$elemMatch'] as const),
] as const;

export const updateOperators = [
  ...(['$set', '$setOnInsert', '$unset', '$inc', '$min', '$max', '$push', '$addToSet', '$pull'] as const),
] as const;
export type UpdateOperator = (typeof updateOperators)[number];
export const pushClauses: ReadonlySet<string> = new Set(['$each', '$slice']);

/** A pipeline has at most one of each stage, in this order. The driver adds $limit to counts, and for Compass also $skip. */
export const pipelineStages = ['$match', '$skip', '$limit', '$group'] as const;
export const accumulators = ['$sum', '$min', '$max'] as const;
export type Accumulator = (typeof accumulators)[number];

/** True if a list contains a name sent by a client. */
export const includes = <T extends string>(list: readonly T[], name: string): name is T =>
  (list as readonly string[]).includes(name);
