import { formType } from './body';
import { malformedBody, ServiceError } from './errors';

/** Node.js accepts only boundaries of at least 27 characters; other programs use shorter ones. */
const boundaryPadding = '-'.repeat(27);

/** A multipart form. Its first line contains the boundary. */
function multipartForm(bytes: Buffer): Response {
  const text = bytes.toString('latin1');
  const [, boundary] = /^--([^\r\n"]+)\r\n/.exec(text) ?? [];
  if (boundary === undefined) throw new Error('the body does not start with a boundary');
  const longer = `${boundaryPadding}${boundary}`;
  const body = `\r\n${text}`.split(`\r\n--${boundary}`).join(`\r\n--${longer}`).slice(2);
  const headers = { 'content-type': `multipart/form-data; boundary="${longer}"` };
  return new Response(Buffer.from(body, 'latin1'), { headers });
}

/**
 * Reads an HTML form, which may contain files.
 * @param type the media type, without parameters
 * @throws ServiceError 400 `malformed_body`
 */
export async function readFormData(bytes: Buffer, type: string): Promise<FormData> {
  try {
    const isForm = type === formType;
    const form = isForm ? new Response(bytes, { headers: { 'content-type': type } }) : multipartForm(bytes);
    return await form.formData();
  } catch (cause) {
    throw new ServiceError({ ...malformedBody, description: 'the body is not a valid form' }, { cause });
  }
}
