import { formType, malformedBody, ServiceError } from '@receipts/kernel';

/** Node.js accepts only boundaries of at least 27 characters; other programs use shorter boundaries. */
const boundaryPadding = '-'.repeat(27);

/**
 * More fields would block the event loop: parsing takes a microsecond per field, and longer per header line of a part.
 */
const fieldsMax = 1_000;
const headBytesMax = 8 * 1024;

/** A multipart form. Its first line contains the boundary. */
function multipartForm(bytes: Buffer): Response {
  const text = bytes.toString('latin1');
  const [, boundary] = /^--([^\r\n"]+)\r\n/.exec(text) ?? [];
  if (boundary === undefined) throw new Error('the body does not start with a boundary');
  const [before = '', ...parts] = `\r\n${text}`.split(`\r\n--${boundary}`, fieldsMax + 3);
  const isHeadLong = (part: string) =>
    !part.startsWith('--') && !part.slice(0, headBytesMax).includes('\r\n\r\n');
  // The last part is the end of the form.
  if (parts.length > fieldsMax + 1 || parts.some(isHeadLong))
    throw new Error('the form has too many fields, or a field with too long a header');
  const longer = `${boundaryPadding}${boundary}`;
  const body = [before, ...parts].join(`\r\n--${longer}`).slice(2);
  const headers = { 'content-type': `multipart/form-data; boundary="${longer}"` };
  return new Response(Buffer.from(body, 'latin1'), { headers });
}

function hasMoreFields(bytes: Buffer): boolean {
  let fields = 1;
  for (let at = bytes.indexOf('&'); at >= 0 && fields <= fieldsMax; at = bytes.indexOf('&', at + 1)) fields++;
  return fields > fieldsMax;
}

/**
 * Reads an HTML form, which may contain files.
 * @param type the media type, without parameters
 * @throws ServiceError 400 `malformed_body`, also for more than 1,000 fields
 */
export async function readFormData(bytes: Buffer, type: string): Promise<FormData> {
  try {
    const isForm = type === formType;
    if (isForm && hasMoreFields(bytes)) throw new Error('the form has too many fields');
    const form = isForm ? new Response(bytes, { headers: { 'content-type': type } }) : multipartForm(bytes);
    return await form.formData();
  } catch (cause) {
    throw new ServiceError({ ...malformedBody, description: 'the body is not a valid form' }, { cause });
  }
}
