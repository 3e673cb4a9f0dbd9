import { escapeHtml as e } from '@receipts/contracts';
import { inline, paragraphs } from './html';
import type { Content, DescribedResponse, Operation, Parameter } from './operation-groups';
import { sampleHost, sampleLanguages, sampleRequest, sampleValue } from './request-samples';
import { sampleOf } from './sample';
import { boundWords, fields, typeWords, type Resolve } from './schema-view';

/** Long lines scroll. `tabindex` makes scrolling possible with the keyboard. */
const pre = (text: string, attributes = '') => `<pre tabindex="0"${attributes}><code>${e(text)}</code></pre>`;

function textOf(type: string, { example, schema }: Content, resolve: Resolve): string | undefined {
  if (resolve(schema)['format'] === 'binary')
    return type === '*/*' || type === 'text/plain' ? 'TOTAL 25.48' : undefined;
  const value = example ?? sampleOf(schema, resolve);
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

function parameterRow({ name, required, description = '', schema }: Parameter, resolve: Resolve): string {
  const limits = boundWords(resolve(schema));
  return (
    `<li><code>${e(name)}</code> <span class="soft">${e(typeWords(resolve, schema))}</span>` +
    (required === true ? '<span class="need">required</span>' : '') +
    (limits === '' ? '' : ` <span class="soft">${e(limits)}</span>`) +
    ` ${inline(description)}</li>`
  );
}

const places = [
  ['path', 'Path'],
  ['query', 'Query'],
  ['header', 'Headers'],
] as const;

function parametersHtml({ parameters }: Operation, resolve: Resolve): string {
  return places
    .map(([place, title]) => {
      const rows = parameters.filter((one) => one.in === place).map((one) => parameterRow(one, resolve));
      return rows.length === 0 ? '' : `<h3>${title}</h3><ul class="fields">${rows.join('')}</ul>`;
    })
    .join('');
}

const isError = (status: string) => /^[45]/.test(status);

function contentHtml(content: DescribedResponse['content'], resolve: Resolve): string {
  return Object.entries(content ?? {})
    .map(([type, { schema }]) => `<p class="soft"><code>${e(type)}</code></p>${fields(resolve, schema)}`)
    .join('');
}

function responsesHtml({ responses }: Operation, resolve: Resolve): string {
  return Object.entries(responses)
    .filter(([status]) => !isError(status))
    .map(
      ([status, { content }]) =>
        `<h3>Response <span class="status">${status}</span></h3>${contentHtml(content, resolve)}`,
    )
    .join('');
}

/** The codes of errors, each with a link to its page. */
function errorsHtml({ responses }: Operation, basePath: string): string {
  const rows = Object.entries(responses)
    .filter(([status]) => isError(status))
    .map(([status, { content }]) => {
      const media = content?.['application/json'] as { readonly examples?: object } | undefined;
      const codes = Object.keys(media?.examples ?? {}).map(
        (code) => `<a href="${basePath}/docs/errors/${e(code)}"><code>${e(code)}</code></a>`,
      );
      return `<li><span class="status">${status}</span> ${codes.join(' ')}</li>`;
    });
  return `<details class="errors"><summary><h3>Errors</h3></summary><ul class="plainlist">${rows.join('')}</ul></details>`;
}

function samplesHtml(operation: Operation, body: string | undefined): string {
  const request = sampleRequest(operation, body);
  const tabs = sampleLanguages.map(
    ({ name, title }) => `<button type="button" data-language="${name}">${title}</button>`,
  );
  const programs = sampleLanguages.map(({ name, write }) => pre(write(request), ` data-language="${name}"`));
  return `<div class="samples" data-host="${sampleHost}"><div class="tabs" role="group" aria-label="Language">${tabs.join('')}</div>${programs.join('')}</div>`;
}

function input({ name, in: place, required, schema, ...more }: Parameter, id: string): string {
  const value = required === true ? sampleValue({ name, in: place, schema, ...more }) : '';
  const key = `${id}-${place}-${name}`;
  return (
    `<label for="${e(key)}"><code>${e(name)}</code></label>` +
    `<input id="${e(key)}" data-in="${place}" name="${e(name)}" value="${e(value)}" autocomplete="off">`
  );
}

/** A form that sends the request, with a new idempotency key each time. It needs a script. */
function tryHtml(operation: Operation, body: string | undefined): string {
  const { id, method, path, parameters, isPublic } = operation;
  const inputs = parameters
    .filter(({ name }) => name !== 'Idempotency-Key')
    .map((one) => input(one, id))
    .join('');
  const [type = ''] = Object.keys(operation.body);
  const area =
    body === undefined
      ? ''
      : `<label for="${id}-body">Body</label><textarea id="${id}-body" name="body" rows="8" spellcheck="false" data-type="${e(type === '*/*' ? 'text/plain' : type)}">${e(body)}</textarea>`;
  const takesKey = parameters.some(({ name }) => name === 'Idempotency-Key');
  return (
    `<details class="try" hidden><summary>Try it</summary><form data-method="${method}" data-path="${e(path)}"${isPublic ? '' : ' data-needs-token'}${takesKey ? ' data-takes-key' : ''}>` +
    `${inputs}${area}<button>Send</button></form><div class="result" role="status"></div></details>`
  );
}

function exampleHtml({ responses }: Operation, resolve: Resolve): string {
  const success = Object.entries(responses).find(([status]) => !isError(status));
  const [status = '', response] = success ?? [];
  const [type, content] = Object.entries(response?.content ?? {})[0] ?? [];
  const text = type === 'application/json' && content ? textOf(type, content, resolve) : undefined;
  return text === undefined ? '' : `<h3>Example of ${status}</h3>${pre(text)}`;
}

/** An operation: its description on the left, and how to call it on the right. */
export function operationHtml(operation: Operation, resolve: Resolve, basePath: string): string {
  const { id, method, path, summary, description } = operation;
  const [media] = Object.entries(operation.body);
  const body = media && textOf(media[0], media[1], resolve);
  const bodyFields =
    Object.entries(operation.body).length > 0 ? `<h3>Body</h3>${contentHtml(operation.body, resolve)}` : '';
  return (
    `<section class="operation" id="${id}"><div><h2><a href="#${id}">${e(summary)}</a></h2>` +
    `<p class="route"><span class="verb ${method.toLowerCase()}">${method}</span> <code>${e(path)}</code></p>` +
    `${paragraphs(description)}${parametersHtml(operation, resolve)}${bodyFields}` +
    `${responsesHtml(operation, resolve)}${errorsHtml(operation, basePath)}</div>` +
    `<div class="side"><div>${samplesHtml(operation, body)}${tryHtml(operation, body)}${exampleHtml(operation, resolve)}</div></div></section>`
  );
}
