import { readFormData } from '@receipts/contracts';
import {
  checkJsonBounds,
  formType,
  inBodyTurn,
  jsonDepthMax,
  jsonValuesMax,
  parseJson,
  schemaValidationFailed,
  ServiceError,
  type JsonBounds,
} from '@receipts/kernel';
import { proofInPdf } from './proof-in-pdf';

/**
 * A returned receipt contains every member, and therefore more values than the posted one. Together with its proof, it
 * is nested one level deeper.
 */
const bounds: JsonBounds = { depthMax: jsonDepthMax + 1, valuesMax: 10 * jsonValuesMax };

type JsonObject = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The proof and the receipt to verify. */
export interface ProofSubmission {
  readonly proof: string;
  /** `unreadable` for text that is not a JSON object, and therefore not a receipt. */
  readonly receipt?: object | 'unreadable';
}

const refused = (path: string, code: string, message: string) =>
  new ServiceError(schemaValidationFailed, { errors: [{ path, code, message }] });

const boundedJson = async (bytes: Buffer): Promise<unknown> =>
  inBodyTurn(bytes.length, () => {
    checkJsonBounds(bytes, bounds);
    return parseJson(bytes);
  });

/** Undefined for text that is not a JSON object. */
async function objectIn(text: string): Promise<JsonObject | undefined> {
  try {
    const value = await boundedJson(Buffer.from(text));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A proof, or JSON `{proof, receipt}`, pasted or uploaded. */
async function submissionIn(text: string): Promise<ProofSubmission> {
  const { proof, receipt } = (await objectIn(text)) ?? { proof: text };
  return {
    // Mail programs wrap long lines.
    proof: (typeof proof === 'string' ? proof : text).replace(/\s/g, ''),
    ...(receipt !== undefined && receipt !== null && { receipt: isObject(receipt) ? receipt : 'unreadable' }),
  };
}

async function fromJson(bytes: Buffer): Promise<ProofSubmission> {
  const value = await boundedJson(bytes);
  if (!isObject(value)) throw refused('', 'invalid_type', 'must be an object');
  const { proof, receipt, ...more } = value;
  const [unknown] = Object.keys(more);
  if (unknown !== undefined) throw refused(`/${unknown}`, 'unrecognized_keys', 'is not a known member');
  if (typeof proof !== 'string') throw refused('/proof', 'invalid_type', 'must be a string');
  if (receipt !== undefined && receipt !== null && !isObject(receipt))
    throw refused('/receipt', 'invalid_type', 'must be an object');
  return { proof, ...(isObject(receipt) && { receipt }) };
}

/** The text of a field or an uploaded file; for a PDF, the attached proof. */
async function textOf(field: ReturnType<FormData['get']>): Promise<string> {
  if (field === null || typeof field === 'string') return (field ?? '').trim();
  const bytes = Buffer.from(await field.arrayBuffer());
  return (proofInPdf(bytes) ?? bytes.toString('utf8')).trim();
}

async function fromForm(bytes: Buffer, type: string): Promise<ProofSubmission> {
  const form = await readFormData(bytes, type);
  const [pasted, file, receiptText] = await Promise.all(
    ['proof', 'file', 'receipt'].map((name) => textOf(form.get(name))),
  );
  // The first field may contain both, and a file uploaded with a pasted proof is its receipt.
  const [first = '', ...more] = [pasted, file, receiptText].filter(Boolean);
  const given = await submissionIn(first);
  const text = more.at(-1);
  return text ? { ...given, receipt: (await objectIn(text)) ?? 'unreadable' } : given;
}

/**
 * Reads the body of a request to verify a proof, without checking that it contains a proof.
 * @throws ServiceError 400 or 422 for a body that cannot be read
 */
export async function readSubmission(bytes: Buffer, contentType = ''): Promise<ProofSubmission> {
  const type = contentType.split(';')[0]?.trim().toLowerCase();
  if (type === 'application/json') return fromJson(bytes);
  if (type === formType || type === 'multipart/form-data') return fromForm(bytes, type);
  return { proof: bytes.toString('utf8') };
}
