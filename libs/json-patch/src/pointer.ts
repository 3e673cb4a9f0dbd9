/** The unescaped reference tokens of a JSON Pointer. The empty path is the whole document. */
export type Path = readonly string[];

/** Parses a JSON Pointer (RFC 6901); undefined if it is invalid, for example because `~` does not precede 0 or 1. */
export function parsePointer(pointer: string): Path | undefined {
  if (pointer === '') return [];
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return undefined;
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export function printPointer(path: Path): string {
  return path.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Whether `path` is below `from`. */
export function isBelow(path: Path, from: Path): boolean {
  return path.length > from.length && from.every((token, n) => path[n] === token);
}

export function isSamePath(one: Path, other: Path): boolean {
  return one.length === other.length && one.every((token, n) => other[n] === token);
}
