/** The nodes of JSONata's syntax tree that closures support. */
export interface Filter {
  readonly type: 'filter';
  readonly expr: Node;
}

interface Common {
  /** Whether `[]` follows, which makes the result an array in any case. */
  readonly keepArray?: boolean;
  readonly predicate?: readonly Filter[];
  /** The filters of a step of a path. */
  readonly stages?: readonly Filter[];
}

export interface Path extends Common {
  readonly type: 'path';
  readonly steps: readonly Node[];
  readonly keepSingletonArray?: boolean;
}

export interface Literal extends Common {
  readonly type: 'string' | 'number' | 'value';
  readonly value: unknown;
}

export interface Name extends Common {
  readonly type: 'name' | 'variable';
  readonly value: string;
}

export interface ObjectMaker extends Common {
  readonly type: 'unary';
  readonly value: '{';
  readonly lhs: readonly (readonly [Node, Node])[];
}

export interface ArrayMaker extends Common {
  readonly type: 'unary';
  readonly value: '[';
  readonly expressions: readonly Node[];
}

export interface Negation extends Common {
  readonly type: 'unary';
  readonly value: '-';
  readonly expression: Node;
}

export interface Binary extends Common {
  readonly type: 'binary';
  readonly value: string;
  readonly lhs: Node;
  readonly rhs: Node;
}

export interface Condition extends Common {
  readonly type: 'condition';
  readonly condition: Node;
  readonly then: Node;
  readonly else?: Node;
}

export interface Block extends Common {
  readonly type: 'block';
  readonly expressions: readonly Node[];
}

export interface Bind extends Common {
  readonly type: 'bind';
  readonly lhs: Name;
  readonly rhs: Node;
}

export interface Call extends Common {
  readonly type: 'function';
  readonly procedure: Node;
  readonly arguments: readonly Node[];
}

export type Node =
  | Path
  | Literal
  | Name
  | ObjectMaker
  | ArrayMaker
  | Negation
  | Binary
  | Condition
  | Block
  | Bind
  | Call;

const common = ['type', 'value', 'position', 'keepArray', 'predicate', 'stages'];

/**
 * The members that a node of each type may have. A node with other members has a meaning that closures do not support.
 */
const members: Readonly<Record<Node['type'], readonly string[]>> = {
  path: [...common, 'steps', 'keepSingletonArray'],
  string: common,
  number: common,
  value: common,
  name: common,
  variable: common,
  unary: [...common, 'lhs', 'expressions', 'expression'],
  binary: [...common, 'lhs', 'rhs'],
  condition: [...common, 'condition', 'then', 'else'],
  block: [...common, 'expressions'],
  bind: [...common, 'lhs', 'rhs'],
  function: [...common, 'procedure', 'arguments'],
};

/** True for a node that is fully supported. */
export function isKnown(node: object): node is Node {
  const { type, predicate = [], stages = [] } = node as Partial<Node>;
  const allowed = type !== undefined && Object.hasOwn(members, type) ? members[type] : [];
  const filters: readonly { readonly type: string }[] = [...predicate, ...stages];
  return (
    Object.entries(node).every(([name, value]) => value === undefined || allowed.includes(name)) &&
    filters.every((one) => one.type === 'filter')
  );
}

export const isBare = ({ keepArray, predicate, stages }: Node): boolean =>
  !keepArray && !predicate && !stages;

export const isPlainName = (node: Node): node is Extract<Node, { type: 'name' | 'variable' }> =>
  node.type === 'name' && isBare(node);

export const isScalar = ({ type }: Node): boolean => ['string', 'number', 'value', 'binary'].includes(type);

/** Names that the interpreter rejects, or that have a special meaning on plain objects. */
export const isReserved = (name: string): boolean =>
  ['_jsonata_lambda', '_jsonata_function', '__proto__'].includes(name);
