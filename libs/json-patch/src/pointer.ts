/** The reference tokens of a JSON Pointer, unescaped. The empty path is the whole document. */
export type Path = readonly string[];

/** Takes a JSON Pointer (RFC 6901) apart; undefined when it is none: `~` may stand only before 0 or 1. */
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

/** True when `path` is a place below `from`. */
export function isBelow(path: Path, from: Path): boolean {
  return path.length > from.length && from.every((token, n) => path[n] === token);
}

export function isSamePath(one: Path, other: Path): boolean {
  return one.length === other.length && one.every((token, n) => other[n] === token);
}
