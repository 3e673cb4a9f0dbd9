import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { decodeFailed, tooLarge } from '../faults/conversion-fault';
import { decodeText, isKnownCodepage } from './charset';
import { elementsMax, type DecodeOptions, type Part } from '../decoded/decoded';
import { cdataName, elementsOf, textName, type XmlElement } from './xml-elements';

const depthMax = 100;

const predefined: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', apos: "'", quot: '"' };

function character(code: number): string {
  return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
    ? String.fromCodePoint(code)
    : '\ufffd';
}

const reference = /&(?:(lt|gt|amp|apos|quot)|#(\d{1,7})|#x([0-9a-f]{1,6}));/giy;

function referenceAt(text: string, at: number): { readonly means: string; readonly end: number } | undefined {
  reference.lastIndex = at;
  const match = reference.exec(text);
  if (!match) return undefined;
  const [whole, name, decimal, hex] = match;
  const end = at + whole.length;
  if (decimal !== undefined) return { means: character(Number(decimal)), end };
  if (hex !== undefined) return { means: character(Number.parseInt(hex, 16)), end };
  const means = predefined[name ?? ''];
  return means === undefined ? undefined : { means, end };
}

/** Resolves the five predefined entities and numeric references; other entities are not changed. */
function decodeReferences(text: string): string {
  let result = '';
  let from = 0;
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', from)) {
    const found = referenceAt(text, at);
    result += text.slice(from, at) + (found?.means ?? '&');
    from = found?.end ?? at + 1;
  }
  return from === 0 ? text : result + text.slice(from);
}

/**
 * The encoding in the XML declaration. UTF-16 is ignored in a document that was read byte by byte: it was probably
 * converted to UTF-8 in transit without a change to the declaration.
 */
function declaredEncoding(bytes: Buffer): string | undefined {
  const start = bytes.subarray(0, 200).toString('latin1');
  const [, encoding] = /^\s*<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]+)["']/.exec(start) ?? [];
  return encoding !== undefined && isKnownCodepage(encoding) && !/^utf-?16/i.test(encoding)
    ? encoding
    : undefined;
}

interface ParserOptions {
  readonly keepPrefixes: boolean;
  readonly isOrdered: boolean;
}

function parserFor({ keepPrefixes, isOrdered }: ParserOptions): XMLParser {
  return new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    textNodeName: textName,
    cdataPropName: cdataName,
    removeNSPrefix: !keepPrefixes,
    preserveOrder: isOrdered,
    parseTagValue: false,
    parseAttributeValue: false,
    trimValues: !isOrdered,
    ignoreDeclaration: true,
    ignorePiTags: true,
    processEntities: false,
    maxNestedTags: depthMax,
    tagValueProcessor: (_, value) => decodeReferences(value),
    attributeValueProcessor: (_, value) => decodeReferences(value),
  });
}

const parsers = {
  plain: parserFor({ keepPrefixes: false, isOrdered: false }),
  prefixed: parserFor({ keepPrefixes: true, isOrdered: false }),
  ordered: parserFor({ keepPrefixes: false, isOrdered: true }),
  orderedPrefixed: parserFor({ keepPrefixes: true, isOrdered: true }),
};

function textsOf(node: Record<string, unknown>, name: string): string {
  const value = node[name];
  return (Array.isArray(value) ? value : [value]).filter((part) => typeof part === 'string').join('');
}

/** CDATA is converted to plain text; references in it are not resolved. */
function joinCdata(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(joinCdata);
  if (typeof value !== 'object' || value === null) return value;
  const node = value as Record<string, unknown>;
  const joined: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(node)) if (name !== cdataName) joined[name] = joinCdata(member);
  if (node[cdataName] === undefined) return joined;
  joined[textName] = textsOf(node, textName) + textsOf(node, cdataName);
  return Object.keys(joined).length === 1 ? joined[textName] : joined;
}

function countElements(text: string): number {
  let count = 0;
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at + 1))
    if (++count > elementsMax * 2) break;
  return count;
}

/** @throws ConversionError for data that is not well-formed, declares entities or has too many elements */
function validText(bytes: Buffer, codepage: string | undefined, contentType: string | null): string {
  const text = decodeText(bytes, codepage ?? declaredEncoding(bytes), contentType)
    .replace(/^\ufeff/, '')
    .trim();
  if (/<!ENTITY/i.test(text)) throw decodeFailed('declares entities');
  if (countElements(text) > elementsMax * 2)
    throw tooLarge('/decode', `the data has more than ${elementsMax} elements`);
  const validity = XMLValidator.validate(text);
  if (validity !== true) throw decodeFailed(`is not well-formed XML: ${validity.err.msg}`, validity.err.line);
  return text;
}

function parse<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw decodeFailed(`is not usable XML: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
}

/** The root element, with everything in the order of the document. */
export function readOrderedXml(
  bytes: Buffer,
  options: { readonly codepage?: string | undefined; readonly keep_prefixes?: boolean | undefined },
  contentType: string | null,
): XmlElement {
  const text = validText(bytes, options.codepage, contentType);
  const parser = options.keep_prefixes ? parsers.orderedPrefixed : parsers.ordered;
  const [root] = elementsOf(parse(() => parser.parse(text) as Record<string, unknown>[]));
  if (!root) throw decodeFailed('has no element');
  return root;
}

/**
 * `doc` contains an element's children by name, attributes as `@name`, mixed text as `#text`; values are strings. With
 * `ordered` it is the root element, in the order of the document. Documents with entity declarations are rejected, and
 * external entities are never read.
 */
export function decodeXml(bytes: Buffer, options: DecodeOptions<'xml'>, contentType: string | null): Part[] {
  if (options.ordered) return [{ doc: readOrderedXml(bytes, options, contentType) }];
  const text = validText(bytes, options.codepage, contentType);
  const parser = options.keep_prefixes ? parsers.prefixed : parsers.plain;
  const doc = parse(() => parser.parse(text) as unknown);
  return [{ doc: text.includes('<![CDATA[') ? joinCdata(doc) : doc }];
}
