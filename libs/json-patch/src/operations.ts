import { malformedPatch, ServiceError } from '@receipts/kernel';
import { parsePointer, type Path } from './pointer';

/** An operation of RFC 6902 with parsed pointers. */
export type Operation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: Path; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: Path }
  | { readonly op: 'move' | 'copy'; readonly path: Path; readonly from: Path };

/** The maximum number of operations per patch. */
const operationsMax = 100;

function malformed(description: string): ServiceError {
  return new ServiceError(malformedPatch, { description });
}

function pointerOf(operation: object, member: 'path' | 'from', position: number): Path {
  const text: unknown = Object.hasOwn(operation, member)
    ? (operation as Record<string, unknown>)[member]
    : undefined;
  const path = typeof text === 'string' ? parsePointer(text) : undefined;
  if (!path) throw malformed(`operation ${position}: ${member} must be a JSON Pointer`);
  return path;
}

function readOperation(operation: unknown, position: number): Operation {
  if (typeof operation !== 'object' || operation === null || Array.isArray(operation)) {
    throw malformed(`operation ${position} is not an object`);
  }
  const { op, value } = operation as { op?: unknown; value?: unknown };
  switch (op) {
    case 'add':
    case 'replace':
    case 'test':
      if (!Object.hasOwn(operation, 'value')) throw malformed(`operation ${position}: value is missing`);
      return { op, path: pointerOf(operation, 'path', position), value };
    case 'remove':
      return { op, path: pointerOf(operation, 'path', position) };
    case 'move':
    case 'copy':
      return {
        op,
        path: pointerOf(operation, 'path', position),
        from: pointerOf(operation, 'from', position),
      };
    default:
      throw malformed(`operation ${position}: op must be add, remove, replace, move, copy or test`);
  }
}

/**
 * Parses a JSON Patch document. Members not defined in RFC 6902 are ignored, as the RFC requires.
 * @throws ServiceError 400 `malformed_patch`
 */
export function readOperations(patch: unknown): Operation[] {
  if (!Array.isArray(patch)) throw malformed('the body must be an array of operations');
  if (patch.length > operationsMax) {
    throw malformed(`a patch may have at most ${operationsMax} operations`);
  }
  return patch.map(readOperation);
}
