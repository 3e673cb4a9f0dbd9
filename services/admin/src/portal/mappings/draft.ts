import {
  transformContracts,
  type MappingDocument,
  type MappingSample,
  type PacketView,
  type PostedMapping,
} from '@receipts/contracts';
import { check, readFormData, ServiceError } from '@receipts/kernel';
import { templates, type TemplateName } from './mapping-templates';

/** The data of a till, with its metadata and properties. */
export interface Slip {
  readonly bytes: Buffer;
  readonly contentType: string;
  /** The packet that the data comes from. */
  readonly packet?: PacketView | undefined;
}

/** A mapping being edited. */
export interface Draft {
  readonly id: string;
  /** The version being edited; absent for a new mapping. */
  readonly version?: number | undefined;
  /** The mapping as JSON, without id, expression and samples. */
  readonly rules: string;
  readonly expression: string;
}

/** The submitted form of the workbench. */
export interface Submission {
  readonly csrf: string;
  readonly action: string;
  readonly draft: Draft;
  readonly slip: Slip;
  readonly packetId: string;
}

/** An error at a position in the mapping or the receipt. */
export interface Fault {
  readonly path: string;
  readonly message: string;
  readonly line?: number | undefined;
}

/** Text without control characters, except tabs and line endings, and without bytes that are not UTF-8. */
const printable = /^[\t\n\P{Cc}]*$/u;
const notUtf8 = '\ufffd';

/** The slip as text for a text field; undefined if it is not only text. */
export function slipText({ bytes }: Slip): string | undefined {
  const text = bytes.toString('utf8').replaceAll('\r\n', '\n');
  return printable.test(text) && !text.includes(notUtf8) ? text : undefined;
}

/** Browsers send the lines of a text field with CRLF. */
const pasted = (text: string) => text.replaceAll('\r\n', '\n');

export function draftOfTemplate(name: TemplateName): { readonly draft: Draft; readonly slip: Slip } {
  const { rules, expression, slip, contentType } = templates[name];
  return {
    draft: { id: '', rules: JSON.stringify(rules, null, 2), expression },
    slip: { bytes: Buffer.from(slip), contentType },
  };
}

export function draftOf(document: MappingDocument): Draft {
  const { id, version, status: _, transform, samples: __, ...rules } = document;
  return { id, version, rules: JSON.stringify(rules, null, 2), expression: transform.expression };
}

export const slipOfSample = ({ input_base64, content_type }: MappingSample): Slip => ({
  bytes: Buffer.from(input_base64, 'base64'),
  contentType: content_type ?? '',
});

/** @throws ServiceError 400 `malformed_body` */
export async function readSubmission(bytes: Buffer, contentType = ''): Promise<Submission> {
  const form = await readFormData(bytes, contentType.split(';')[0]?.trim().toLowerCase() ?? '');
  const said = (name: string) => {
    const value = form.get(name);
    return typeof value === 'string' ? value : '';
  };
  const file = form.get('file');
  const uploaded =
    file !== null && typeof file !== 'string' ? Buffer.from(await file.arrayBuffer()) : Buffer.alloc(0);
  const text = pasted(said('slip'));
  const kept = text === '' ? Buffer.from(said('slip_base64'), 'base64') : Buffer.from(text);
  const version = Number(said('version'));
  return {
    ...{ csrf: said('csrf'), action: said('action'), packetId: said('packet') },
    draft: {
      id: said('id').trim(),
      version: Number.isInteger(version) && version > 0 ? version : undefined,
      rules: pasted(said('rules')),
      expression: pasted(said('expression')),
    },
    slip: { bytes: uploaded.length > 0 ? uploaded : kept, contentType: said('content_type').trim() },
  };
}

interface Composed {
  readonly document?: PostedMapping;
  readonly faults: readonly Fault[];
}

function parsedRules(text: string): { readonly rules: object } | { readonly fault: Fault } {
  const refused = (message: string, line?: number) => ({ fault: { path: '/rules', message, line } });
  try {
    const rules: unknown = JSON.parse(text);
    const isObject = typeof rules === 'object' && rules !== null && !Array.isArray(rules);
    return isObject ? { rules } : refused('must be a JSON object');
  } catch (error) {
    const [, position] = /position (\d+)/.exec(String(error)) ?? [];
    const line = position === undefined ? undefined : text.slice(0, Number(position)).split('\n').length;
    return refused('must be JSON', line);
  }
}

/**
 * The mapping that a draft represents, checked like `POST /pos/mappings`.
 * @param id used for a mapping that has no id yet
 */
export function compose(draft: Draft, samples: readonly MappingSample[] = [], id = draft.id): Composed {
  const parsed = parsedRules(draft.rules);
  if ('fault' in parsed) return { faults: [parsed.fault] };
  const document = {
    ...{ id, ...parsed.rules },
    transform: { language: 'jsonata', expression: draft.expression },
    ...(samples.length > 0 && { samples }),
  };
  try {
    return {
      document: check(transformContracts.createMapping.body.variants['application/json'], document),
      faults: [],
    };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { faults: error.errors ?? [{ path: '', message: error.description }] };
  }
}
