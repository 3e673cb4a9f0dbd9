import {
  fieldNotModifiable,
  isDeeperThan,
  jsonDepthMax,
  patchNotApplicable,
  patchTestFailed,
  ServiceError,
  type ErrorDefinition,
} from '@receipts/kernel';
import { applyOperation } from 'fast-json-patch';
import { readOperations, type Operation } from './operations';
import { isBelow, isSamePath, printPointer, type Path } from './pointer';
import { isSameJson } from './same-json';

export interface PatchRules {
  /** Whether a path may be changed; by default, all paths may. Reading is not restricted. */
  readonly isModifiable?: (path: Path) => boolean;
}

/** The maximum depth of a pointer, because no document is nested more deeply. */
const pointerDepthMax = jsonDepthMax;
/**
 * The maximum size of a result as JSON; also the maximum that all `copy` operations of a patch may copy in total. A
 * result is stored with its event in one document, and MongoDB limits documents to 16 MiB.
 */
const resultBytesMax = 4 * 1024 * 1024;

function fault(definition: ErrorDefinition, position: number, why: string): ServiceError {
  return new ServiceError(definition, { description: `operation ${position}: ${why}` });
}

/**
 * Validates operations before the library applies them. It resolves each pointer only through own members and valid
 * indexes, because the library would resolve inherited members, clamp indexes and throw bare TypeErrors. The library
 * performs the change itself.
 */
class Patching {
  private copiedBytes = 0;

  constructor(private document: unknown) {}

  get result(): unknown {
    return this.document;
  }

  run(operation: Operation, position: number): void {
    const { op, path } = operation;
    const refuse = (why: string) => fault(patchNotApplicable, position, why);
    switch (op) {
      case 'add':
        return this.add(path, structuredClone(operation.value), refuse);
      case 'replace':
        this.valueAt(path, refuse);
        return this.change({ op, path: printPointer(path), value: structuredClone(operation.value) });
      case 'remove':
        this.valueAt(path, refuse);
        return this.change({ op, path: printPointer(path) });
      case 'test':
        if (isSameJson(this.valueAt(path, refuse), operation.value)) return;
        throw fault(patchTestFailed, position, 'the value differs');
      case 'copy':
        return this.add(path, this.copyOf(this.valueAt(operation.from, refuse), refuse), refuse);
      case 'move':
        return this.move(operation.from, path, refuse);
    }
  }

  private move(from: Path, path: Path, refuse: (why: string) => ServiceError): void {
    const value = this.valueAt(from, refuse);
    if (isSamePath(from, path)) return;
    if (isBelow(path, from)) throw refuse('a value cannot be moved into itself');
    this.change({ op: 'remove', path: printPointer(from) });
    this.add(path, value, refuse);
  }

  private add(path: Path, value: unknown, refuse: (why: string) => ServiceError): void {
    const key = path.at(-1);
    if (key !== undefined) {
      checkTokens(path, refuse);
      const parent = this.valueAt(path.slice(0, -1), refuse);
      if (Array.isArray(parent)) {
        if (key !== '-' && !isIndex(key, parent.length)) throw refuse('the index is outside the array');
      } else if (!isObject(parent)) throw refuse('the path does not exist');
    }
    this.change({ op: 'add', path: printPointer(path), value });
  }

  private change(operation: Parameters<typeof applyOperation>[1]): void {
    this.document = applyOperation(this.document, operation).newDocument;
  }

  private valueAt(path: Path, refuse: (why: string) => ServiceError): unknown {
    checkTokens(path, refuse);
    let value = this.document;
    for (const token of path) {
      const exists = Array.isArray(value)
        ? isIndex(token, value.length - 1)
        : isObject(value) && Object.hasOwn(value, token);
      if (!exists) throw refuse('the path does not exist');
      value = (value as Record<string, unknown>)[token];
    }
    return value;
  }

  private copyOf(value: unknown, refuse: (why: string) => ServiceError): unknown {
    const printed = JSON.stringify(value);
    this.copiedBytes += Buffer.byteLength(printed);
    if (this.copiedBytes > resultBytesMax) {
      throw refuse(`the patch copies more than ${resultBytesMax} bytes`);
    }
    return structuredClone(value);
  }
}

/** RFC 6901 section 4: decimal digits without leading zeros. */
function isIndex(token: string, max: number): boolean {
  return /^(?:0|[1-9]\d{0,9})$/.test(token) && Number(token) <= max;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/**
 * The library rejects `__proto__` and `constructor/prototype` with a bare TypeError, because they lead to a
 * prototype.
 */
function checkTokens(path: Path, refuse: (why: string) => ServiceError): void {
  if (path.length > pointerDepthMax) throw refuse(`a path may have at most ${pointerDepthMax} levels`);
  path.forEach((token, n) => {
    if (token === '__proto__' || (token === 'prototype' && path[n - 1] === 'constructor')) {
      throw refuse('the path contains a prototype name');
    }
  });
}

/** The paths that an operation changes. */
function changedBy(operation: Operation): readonly Path[] {
  if (operation.op === 'test') return [];
  return operation.op === 'move' ? [operation.path, operation.from] : [operation.path];
}

/**
 * Applies a JSON Patch (RFC 6902) to a copy of the document, completely or not at all. The caller must validate the
 * result against the document's schema.
 * @param patch the parsed patch, not validated yet
 * @throws ServiceError 400 `malformed_patch`, 422 `field_not_modifiable`, 422 `patch_not_applicable`, 409
 * `patch_test_failed`
 */
export function applyPatch(document: unknown, patch: unknown, rules: PatchRules = {}): unknown {
  const { isModifiable = () => true } = rules;
  const operations = readOperations(patch);
  operations.forEach((operation, position) => {
    if (!changedBy(operation).every(isModifiable)) {
      throw fault(fieldNotModifiable, position, 'the path cannot be changed');
    }
  });
  const patching = new Patching(structuredClone(document));
  operations.forEach((operation, position) => patching.run(operation, position));
  return operations.length > 0 ? checkPatchResult(patching.result) : patching.result;
}

/** @throws ServiceError 422 `patch_not_applicable` if the result of a patch is too large or nested too deeply. */
export function checkPatchResult<T>(result: T): T {
  const printed = Buffer.from(JSON.stringify(result));
  const refuse = (description: string) => new ServiceError(patchNotApplicable, { description });
  if (printed.length > resultBytesMax) throw refuse(`the result has more than ${resultBytesMax} bytes`);
  if (isDeeperThan(printed, jsonDepthMax)) {
    throw refuse(`the result nests deeper than ${jsonDepthMax} levels`);
  }
  return result;
}
