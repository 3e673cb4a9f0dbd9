/** An element in the order of the document. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** The own text of the element, joined, with its spaces. */
  readonly text: string;
  readonly children: readonly XmlElement[];
}

/** What fast-xml-parser returns with `preserveOrder`: one member with the name of the element, and its attributes. */
type Node = Readonly<Record<string, unknown>>;

export const textName = '#text';
export const cdataName = '#cdata';
const attributesName = ':@';
const attributePrefix = '@';

function attributesOf(node: Node): Record<string, string> {
  const given = (node[attributesName] ?? {}) as Readonly<Record<string, unknown>>;
  const entries = Object.entries(given).map(([name, value]) => [
    name.startsWith(attributePrefix) ? name.slice(attributePrefix.length) : name,
    String(value),
  ]);
  return Object.fromEntries(entries) as Record<string, string>;
}

/** The text of nodes: a text, or CDATA, which contains texts. */
function textOf(nodes: readonly Node[]): string {
  return nodes
    .map((node) => {
      if (textName in node) return String(node[textName]);
      return cdataName in node ? textOf(node[cdataName] as readonly Node[]) : '';
    })
    .join('');
}

const isElement = (name: string): boolean =>
  name !== textName && name !== cdataName && name !== attributesName;

/** The elements among nodes. */
export function elementsOf(nodes: readonly Node[]): XmlElement[] {
  return nodes.flatMap((node) => {
    const name = Object.keys(node).find(isElement);
    if (name === undefined) return [];
    const children = node[name] as readonly Node[];
    return [{ name, attributes: attributesOf(node), text: textOf(children), children: elementsOf(children) }];
  });
}
