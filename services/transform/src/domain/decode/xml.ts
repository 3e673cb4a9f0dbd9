import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { decodeFailed, tooLarge } from '../faults/conversion-fault';
import { decodeText, isKnownCodepage } from './charset';
import { elementsMax, type DecodeOptions, type Part } from './decoded';

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

function parserFor(keepPrefixes: boolean): XMLParser {
  return new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    textNodeName: '#text',
    cdataPropName: '#cdata',
    removeNSPrefix: !keepPrefixes,
    parseTagValue: false,
    parseAttributeValue: false,
    trimValues: true,
    ignoreDeclaration: true,
    ignorePiTags: true,
    processEntities: false,
    maxNestedTags: depthMax,
    tagValueProcessor: (_, value) => decodeReferences(value),
    attributeValueProcessor: (_, value) => decodeReferences(value),
  });
}

const parsers = { plain: parserFor(false), prefixed: parserFor(true) };

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
  for (const [name, member] of Object.entries(node)) if (name !== '#cdata') joined[name] = joinCdata(member);
  if (node['#cdata'] === undefined) return joined;
  joined['#text'] = textsOf(node, '#text') + textsOf(node, '#cdata');
  return Object.keys(joined).length === 1 ? joined['#text'] : joined;
}

function countElements(text: string): number {
  let count = 0;
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at + 1))
    if (++count > elementsMax * 2) break;
  return count;
}

/**
 * `doc` contains an element's children by name, attributes as `@name`, mixed text as `#text`; values are strings.
 * Documents with entity declarations are rejected, and external entities are never read.
 */
export function decodeXml(bytes: Buffer, options: DecodeOptions<'xml'>, contentType: string | null): Part[] {
  const codepage = options.codepage ?? declaredEncoding(bytes);
  const text = decodeText(bytes, codepage, contentType)
    .replace(/^\ufeff/, '')
    .trim();
  if (/<!ENTITY/i.test(text)) throw decodeFailed('declares entities');
  if (countElements(text) > elementsMax * 2)
    throw tooLarge('/decode', `the data has more than ${elementsMax} elements`);
  const validity = XMLValidator.validate(text);
  if (validity !== true) throw decodeFailed(`is not well-formed XML: ${validity.err.msg}`, validity.err.line);
  try {
    const doc: unknown = (options.keep_prefixes ? parsers.prefixed : parsers.plain).parse(text);
    return [{ doc: text.includes('<![CDATA[') ? joinCdata(doc) : doc }];
  } catch (error) {
    throw decodeFailed(`is not usable XML: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
}
