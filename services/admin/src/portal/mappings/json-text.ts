import { jsonPointer } from '@receipts/kernel';

/** States where and why a text is not valid JSON. */
export class JsonTextError extends Error {
  constructor(
    message: string,
    /** From 0. */
    readonly offset: number,
  ) {
    super(message);
    this.name = 'JsonTextError';
  }
}

/** No mapping is nested more deeply, and deeper values would exhaust the stack. */
const depthMax = 100;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Scans a JSON text. `JSON.parse` reports neither the positions of values nor errors in plain words. */
class JsonWalk {
  readonly offsets = new Map<string, number>();
  private at = 0;

  constructor(private readonly text: string) {}

  walk(): void {
    this.value('', 0);
    if (this.next() !== '') throw this.fault('there is more text after the end');
  }

  private fault(message: string): JsonTextError {
    return new JsonTextError(this.at >= this.text.length ? 'the text ends too early' : message, this.at);
  }

  /** The next character that is not white space; empty at the end. */
  private next(): string {
    while (/[ \t\r\n]/.test(this.text.charAt(this.at))) this.at++;
    return this.text.charAt(this.at);
  }

  private matches(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    if (!pattern.test(this.text)) return false;
    this.at = pattern.lastIndex;
    return true;
  }

  private value(path: string, depth: number): void {
    if (depth > depthMax) throw this.fault('the text is nested too deeply');
    const first = this.next();
    this.offsets.set(path, this.at);
    if (first === '{') this.list('}', (_) => this.member(path, depth));
    else if (first === '[') this.list(']', (n) => this.value(path + jsonPointer([n]), depth + 1));
    else if (first === '"') this.string();
    else if (first === "'") throw this.fault('strings need double quotes');
    else if (first === '/') throw this.fault('comments are not allowed');
    else if (!this.matches(scalar)) throw this.fault('a value is expected');
  }

  private list(end: string, element: (index: number) => void): void {
    this.at++;
    if (this.next() !== end) {
      for (let index = 0; ; index++) {
        if (index > 0 && this.next() === end) throw this.fault(`there is a comma before ${end}`);
        element(index);
        if (this.next() !== ',') break;
        this.at++;
      }
    }
    if (this.next() !== end) throw this.fault(`a comma or ${end} is expected`);
    this.at++;
  }

  private member(path: string, depth: number): void {
    if (this.next() !== '"') throw this.fault('a name in double quotes is expected');
    const name = this.string();
    if (this.next() !== ':') throw this.fault('a colon is expected');
    this.at++;
    this.value(path + jsonPointer([name]), depth + 1);
  }

  private string(): string {
    const start = this.at++;
    for (;;) {
      const character = this.text.charAt(this.at);
      if (character === '"') break;
      if (character === '\\') {
        if (this.matches(escape)) continue;
        const wrong = this.text.slice(this.at, this.at + 2);
        throw this.fault(`${wrong} is not an escape in JSON: double the backslash, as in \\${wrong}`);
      }
      if (character < ' ') throw this.fault('a double quote is missing, or a tab is not written as \\t');
      this.at++;
    }
    this.at++;
    return JSON.parse(this.text.slice(start, this.at)) as string;
  }
}

/**
 * Where the values of a JSON text begin, by JSON Pointer.
 * @throws JsonTextError
 */
export function valueOffsets(text: string): ReadonlyMap<string, number> {
  const walk = new JsonWalk(text);
  walk.walk();
  return walk.offsets;
}

/** The line and the column of an offset, from 1. */
export function positionAt(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** The offset of a value, or of the nearest value around it. */
export function nearestOffset(offsets: ReadonlyMap<string, number>, pointer: string): number | undefined {
  for (let path = pointer; path !== ''; path = path.slice(0, path.lastIndexOf('/'))) {
    const offset = offsets.get(path);
    if (offset !== undefined) return offset;
  }
  return undefined;
}
