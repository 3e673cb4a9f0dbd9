import { MongoError, badValue, failedToParse, typeMismatch } from '../errors';
import { isNumber, numberOf } from '../bson/number';
import { BsonType, typeName } from '../bson/types';
import { FieldReader, boolOf, elementsOf, fieldsOf, stringOf, type BsonValue } from '../bson/value';
import type { Hint } from '../plan/plan';
import { genericFields, readConcernFields, writeConcernFields } from '../supported';
import type { Request } from '../wire/message';
import type { Session } from './session';

const transactionFields = ['txnNumber', 'startTransaction', 'autocommit'];

/** A document of options: a command, or a statement within it. */
export class Options {
  private readonly fields = new Map<string, BsonValue>();

  constructor(
    /** The name of the command or statement, for error messages. */
    readonly owner: string,
    doc: BsonValue,
  ) {
    const r = new FieldReader(doc);
    while (r.next()) this.fields.set(r.name, r.value);
  }

  /** Throws code 40415 for unknown fields, as MongoDB's parser does. */
  allow(...known: readonly ReadonlySet<string>[]): void {
    for (const name of this.fields.keys()) {
      if (!known.some((names) => names.has(name)))
        throw new MongoError(40415, `BSON field '${this.owner}.${name}' is an unknown field.`);
    }
  }

  has(name: string): boolean {
    return this.fields.has(name);
  }

  get(name: string): BsonValue | undefined {
    const v = this.fields.get(name);
    return v === undefined || v.type === BsonType.null || v.type === BsonType.undefined ? undefined : v;
  }

  private wrongType(name: string, v: BsonValue, wanted: string): MongoError {
    return typeMismatch(
      `BSON field '${this.owner}.${name}' is the wrong type '${typeName(v.type)}', expected type '${wanted}'`,
    );
  }

  required(name: string): BsonValue {
    const v = this.get(name);
    if (v === undefined)
      throw new MongoError(40414, `BSON field '${this.owner}.${name}' is missing but a required field`);
    return v;
  }

  document(name: string): BsonValue | undefined {
    const v = this.get(name);
    if (v !== undefined && v.type !== BsonType.object) throw this.wrongType(name, v, 'object');
    return v;
  }

  array(name: string): BsonValue | undefined {
    const v = this.get(name);
    if (v !== undefined && v.type !== BsonType.array) throw this.wrongType(name, v, 'array');
    return v;
  }

  boolean(name: string, otherwise: boolean): boolean {
    const v = this.get(name);
    if (v === undefined) return otherwise;
    if (v.type === BsonType.bool) return boolOf(v);
    if (isNumber(v)) return numberOf(v) !== 0;
    throw this.wrongType(name, v, 'bool');
  }

  string(name: string): string | undefined {
    const v = this.get(name);
    if (v !== undefined && v.type !== BsonType.string) throw this.wrongType(name, v, 'string');
    return v && stringOf(v);
  }

  number(name: string): number | undefined {
    const v = this.get(name);
    if (v !== undefined && !isNumber(v)) throw this.wrongType(name, v, 'long');
    return v && numberOf(v);
  }

  /** A non-negative integer. */
  count(name: string, otherwise: number): number {
    const n = this.number(name) ?? otherwise;
    if (!Number.isInteger(n)) throw failedToParse(`${name} must be a whole number, got ${n}`);
    if (n < 0) throw new MongoError(51024, `BSON field '${name}' value must be >= 0, actual value '${n}'`);
    return n;
  }

  hint(): Hint | undefined {
    const v = this.get('hint');
    if (v === undefined) return undefined;
    if (v.type === BsonType.string) return { kind: 'name', name: stringOf(v) };
    if (v.type !== BsonType.object) throw failedToParse('hint must be either a string or nested object');
    const fields = fieldsOf(v);
    if (fields.length === 0) return undefined;
    return { kind: 'key', key: fields.map(([name, x]) => [name, numberOf(x)]) };
  }
}

const wrongInDatabase = /[/\\. "$\0]/;
const databaseBytesMax = 63;
const readConcernLevels = ['local', 'majority'];

/** A command as received from a client. */
export class Command extends Options {
  readonly database: string;
  /** In the time scale of performance.now(). Infinity if there is no maxTimeMS. */
  readonly deadline: number;

  constructor(
    readonly name: string,
    readonly request: Request,
    readonly session: Session,
  ) {
    super(name, request.body);
    this.database = request.legacyDatabase ?? this.string('$db') ?? '';
    if (this.database === '') throw new MongoError(40571, 'OP_MSG requests require a $db argument');
    if (wrongInDatabase.test(this.database) || Buffer.byteLength(this.database) > databaseBytesMax)
      throw new MongoError(73, `Invalid database name: '${this.database}'`);
    const ms = this.count('maxTimeMS', 0);
    if (ms > 2 ** 31 - 1) throw badValue(`${ms} value for maxTimeMS is out of range [0, 2147483647]`);
    this.deadline = ms === 0 ? Infinity : performance.now() + ms;
  }

  /** Rejects unknown fields, transactions, and read or write concerns that a standalone server does not support. */
  check(known: ReadonlySet<string>): void {
    if (transactionFields.some((name) => this.has(name)))
      throw new MongoError(20, 'Transaction numbers are only allowed on a replica set member or mongos');
    this.allow(known, genericFields);
    const readConcern = this.concern('readConcern', readConcernFields);
    const level = readConcern?.string('level') ?? 'local';
    if (!readConcernLevels.includes(level))
      throw badValue(`Enumeration value '${level}' for field 'readConcern.level' is not a valid value.`);
    const w = this.concern('writeConcern', writeConcernFields)?.get('w');
    if (w === undefined || (w.type === BsonType.string && stringOf(w) === 'majority')) return;
    if (!isNumber(w) || (numberOf(w) !== 0 && numberOf(w) !== 1))
      throw badValue("cannot use 'w' > 1 when a host is not replicated");
  }

  private concern(name: string, known: ReadonlySet<string>): Options | undefined {
    const v = this.document(name);
    const concern = v && new Options(name, v);
    concern?.allow(known);
    return concern;
  }

  /** The full name of the collection in the command's first field. */
  get namespace(): string {
    return `${this.database}.${this.collectionName}`;
  }

  get collectionName(): string {
    const v = this.get(this.name);
    if (v === undefined || v.type !== BsonType.string) {
      throw new MongoError(
        73,
        `collection name has invalid type ${v === undefined ? 'missing' : typeName(v.type)}`,
      );
    }
    const name = stringOf(v);
    if (name === '') throw new MongoError(73, `Invalid namespace specified '${this.database}.'`);
    return name;
  }

  /** The documents of a bulk write: from a document sequence of the message, or from an array in the command's body. */
  batch(name: string): readonly BsonValue[] {
    const beside = this.request.sequences.get(name);
    if (beside !== undefined) return beside;
    const v = this.array(name);
    if (v === undefined)
      throw new MongoError(40414, `BSON field '${this.name}.${name}' is missing but a required field`);
    const docs = elementsOf(v);
    for (const d of docs) {
      if (d.type !== BsonType.object) {
        throw typeMismatch(
          `BSON field '${this.name}.${name}' holds a ${typeName(d.type)}, expected type 'object'`,
        );
      }
    }
    return docs;
  }
}

export const writeBatchMax = 100_000;

export function checkBatchSize(n: number): void {
  if (n < 1 || n > writeBatchMax) {
    throw new MongoError(
      16,
      `Write batch sizes must be between 1 and ${writeBatchMax}. Got ${n} operations.`,
    );
  }
}
