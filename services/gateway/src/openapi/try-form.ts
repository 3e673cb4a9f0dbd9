import { escapeHtml } from '../escape-html';
import type { JsonSchema } from './json-schema';

interface FormParameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

interface FormOperation {
  readonly security?: readonly unknown[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> };
}

function fieldOf({ name, in: place, required, schema }: FormParameter): string {
  const { default: fallback } = schema;
  const hint = fallback === undefined ? '' : JSON.stringify(fallback);
  return (
    `<label><span>${escapeHtml(name)}${required === true ? ' *' : ''}</span>` +
    `<input name="${escapeHtml(name)}" data-in="${place}" placeholder="${escapeHtml(hint)}" autocomplete="off" spellcheck="false"></label>`
  );
}

function bodyOf({ requestBody }: FormOperation): string {
  const [first] = Object.entries(requestBody?.content ?? {});
  if (!first) return '';
  const [type, { example }] = first;
  const text = example === undefined ? '' : JSON.stringify(example, null, 2);
  const sentAs = type === '*/*' ? 'text/plain' : type;
  return (
    `<label><span>body <span class="soft">${escapeHtml(sentAs)}</span></span>` +
    `<textarea rows="8" spellcheck="false" data-type="${escapeHtml(sentAs)}">${escapeHtml(text)}</textarea></label>`
  );
}

/** Sends the request of an operation, and shows it as a curl command. */
export function tryForm(
  method: string,
  path: string,
  parameters: readonly FormParameter[],
  operation: FormOperation,
): string {
  const open = operation.security?.length === 0 ? ' data-open="true"' : '';
  return (
    `<h4>Try it</h4><form class="try" data-method="${method.toUpperCase()}" data-path="${escapeHtml(path)}"${open}>` +
    `<div class="inputs">${parameters.map(fieldOf).join('')}</div>${bodyOf(operation)}` +
    '<pre class="curl" aria-label="As a curl command"></pre>' +
    '<p><button type="submit">Send</button> <button type="button" class="copy">Copy curl</button></p><output></output></form>'
  );
}
