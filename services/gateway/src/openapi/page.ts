import { createHash } from 'node:crypto';
import { escapeHtml } from '../escape-html';
import { inline, paragraphs, printed } from './html';
import type { JsonSchema } from './json-schema';
import { pageScript } from './page-script';
import { pageStyle } from './page-style';
import { boundWords, fields, resolver, typeWords, type Resolve } from './schema-view';
import { tryForm } from './try-form';

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

interface Media {
  readonly schema: JsonSchema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>;
}

interface Response {
  readonly $ref?: string;
  readonly description: string;
  readonly content?: Readonly<Record<string, Media>>;
}

interface Operation {
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly unknown[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Response>>;
}

interface Api {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, Response>>;
  };
}

interface EventApi {
  readonly components: {
    readonly messages: Readonly<
      Record<string, { readonly summary: string; readonly description: string; readonly payload: JsonSchema }>
    >;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
  };
}

interface Entry {
  readonly method: string;
  readonly path: string;
  readonly anchor: string;
  readonly operation: Operation;
}

const anchorOf = (text: string) => text.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '');
const verb = (method: string) => `<span class="verb ${method}">${method.toUpperCase()}</span>`;

const findText = (...parts: readonly string[]) => escapeHtml(parts.join(' ').toLowerCase());

function entriesOf(api: Api): Map<string, Entry[]> {
  const byTag = new Map<string, Entry[]>();
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags[0] ?? '';
      const entry = { method, path, anchor: anchorOf(`${method} ${path}`), operation };
      byTag.set(tag, [...(byTag.get(tag) ?? []), entry]);
    }
  }
  return byTag;
}

function parameterRow(resolve: Resolve, parameter: Parameter): string {
  const { name, in: place, required, description } = parameter;
  const schema = resolve(parameter.schema);
  const limits = boundWords(schema);
  return (
    `<tr><td><code>${escapeHtml(name)}</code>${required === true ? '<span class="need">required</span>' : ''}</td>` +
    `<td class="type">${escapeHtml(`${place}, ${typeWords(resolve, schema)}`)}</td>` +
    `<td>${inline(description ?? '')} <span class="soft">${escapeHtml(limits)}</span></td></tr>`
  );
}

function knownParameters(api: Api, { parameters }: Operation): Parameter[] {
  return parameters.map((each) =>
    each.$ref === undefined ? each : (api.components.parameters[each.$ref.split('/').at(-1) ?? ''] ?? each),
  );
}

function parametersOf(resolve: Resolve, known: readonly Parameter[]): string {
  if (known.length === 0) return '';
  return `<h4>Parameters</h4><table>${known.map((each) => parameterRow(resolve, each)).join('')}</table>`;
}

function mediaView(resolve: Resolve, type: string, { schema, example, examples }: Media): string {
  const shown = example ?? Object.values(examples ?? {})[0]?.value;
  const below = fields(resolve, schema);
  return (
    `<p><code>${escapeHtml(type)}</code> <span class="soft">${escapeHtml(typeWords(resolve, schema))}</span></p>${below}` +
    (shown === undefined ? '' : `<details><summary class="soft">Example</summary>${printed(shown)}</details>`)
  );
}

function bodyOf(resolve: Resolve, { requestBody }: Operation): string {
  if (!requestBody) return '';
  const media = Object.entries(requestBody.content).map(([type, each]) => mediaView(resolve, type, each));
  return `<h4>Body</h4>${media.join('')}`;
}

function errorCodes(api: Api, given: Response): string {
  const response = api.components.responses[given.$ref?.split('/').at(-1) ?? ''] ?? given;
  const examples = response.content?.['application/json']?.examples ?? {};
  return Object.entries(examples)
    .map(([code, { summary = '' }]) => `<code>${escapeHtml(code)}</code> ${escapeHtml(summary)}`)
    .join('<br>');
}

function responsesOf(api: Api, resolve: Resolve, { responses }: Operation): string {
  const entries = Object.entries(responses);
  const good = entries.filter(([status]) => status < '4');
  const bad = entries.filter(([status]) => status >= '4');
  const goodViews = good.map(([status, { description, content = {} }]) => {
    const media = Object.entries(content).map(([type, each]) => mediaView(resolve, type, each));
    return `<p><span class="status s2">${status}</span> ${inline(description)}</p>${media.join('')}`;
  });
  const badRows = bad.map(
    ([status, response]) =>
      `<tr><td><span class="status s${status[0] ?? ''}">${status}</span></td><td>${errorCodes(api, response)}</td></tr>`,
  );
  return `<h4>Answers</h4>${goodViews.join('')}<details><summary class="soft">Errors</summary><table>${badRows.join('')}</table></details>`;
}

function card(api: Api, resolve: Resolve, { method, path, anchor, operation }: Entry): string {
  const known = knownParameters(api, operation);
  return (
    `<details class="card" id="${anchor}" data-find="${findText(method, path, operation.summary)}"><summary>${verb(method)}<span class="path">${escapeHtml(path)}</span>` +
    `<span class="what">${escapeHtml(operation.summary)}</span></summary><div class="body">` +
    `${paragraphs(operation.description)}${parametersOf(resolve, known)}${bodyOf(resolve, operation)}${responsesOf(api, resolve, operation)}${tryForm(method, path, known, operation)}` +
    `</div></details>`
  );
}

function eventCards(events: EventApi): string {
  const resolve = resolver(events.components.schemas);
  return Object.entries(events.components.messages)
    .map(
      ([type, { summary, description, payload }]) =>
        `<details class="card" id="${anchorOf(`event ${type}`)}" data-find="${findText('event', type, summary)}"><summary><span class="verb event">EVENT</span>` +
        `<span class="path">${escapeHtml(type)}</span><span class="what">${escapeHtml(summary)}</span></summary>` +
        `<div class="body">${paragraphs(description)}${fields(resolve, payload)}</div></details>`,
    )
    .join('');
}

function navigation(byTag: ReadonlyMap<string, readonly Entry[]>, events: EventApi): string {
  const groups = [...byTag].map(
    ([tag, entries]) =>
      `<h2>${escapeHtml(tag)}</h2>${entries
        .map(
          ({ method, path, anchor, operation }) =>
            `<a href="#${anchor}" data-find="${findText(method, path, operation.summary)}">${verb(method)}<span>${escapeHtml(path)}</span></a>`,
        )
        .join('')}`,
  );
  const types = Object.keys(events.components.messages).map(
    (type) =>
      `<a href="#${anchorOf(`event ${type}`)}" data-find="${findText('event', type)}"><span>${escapeHtml(type)}</span></a>`,
  );
  return `<nav aria-label="Operations"><input id="find" type="search" placeholder="Search ( / )" aria-label="Search operations">${groups.join('')}<h2>events</h2>${types.join('')}</nav>`;
}

export interface DocumentationPage {
  readonly html: string;
  /** A Content-Security-Policy that allows the page's own style and script, requests to where it came from, and nothing else. */
  readonly policy: string;
}

const digest = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const nothingElse = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** A plain page in the look of the documentation, under a policy that allows its style and nothing else. */
export function plainPage(title: string, content: string): DocumentationPage {
  const html =
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<title>${escapeHtml(title)}</title><style>${pageStyle}</style></head><body><main class="plain">${content}</main></body></html>`;
  return { html, policy: `default-src 'none'; style-src ${digest(pageStyle)}; ${nothingElse}` };
}

/** The API for people: one page that needs no other file, and finds, shows and sends requests. */
export function documentationPage(openapi: JsonSchema, asyncapi: JsonSchema): DocumentationPage {
  const api = openapi as unknown as Api;
  const events = asyncapi as unknown as EventApi;
  const resolve = resolver(api.components.schemas);
  const byTag = entriesOf(api);
  const sections = [...byTag].map(
    ([tag, entries]) =>
      `<section><h2>${escapeHtml(tag)}</h2>${entries.map((entry) => card(api, resolve, entry)).join('')}</section>`,
  );
  const html =
    `<!doctype html><html lang="en" data-base="."><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<title>${escapeHtml(api.info.title)}</title><style>${pageStyle}</style></head><body><div class="layout">` +
    `${navigation(byTag, events)}<main><h1>${escapeHtml(api.info.title)}</h1>` +
    `<p class="soft">Version ${escapeHtml(api.info.version)} · <a href="openapi.json">openapi.json</a> · <a href="asyncapi.json">asyncapi.json</a> · <a href="docs/errors">errors</a> · <a href="docs/signing">signing</a> · <a href="docs/search">searching</a> · <button id="theme" type="button">Light or dark</button></p>` +
    `<p><label class="token"><span>Bearer token</span><input id="token" type="password" autocomplete="off" spellcheck="false" placeholder="for “Try it”; stays in this tab"></label></p>` +
    `<div class="lead">${paragraphs(api.info.description)}</div>${sections.join('')}` +
    `<section><h2>events</h2>${eventCards(events)}</section></main></div><script>${pageScript}</script></body></html>`;
  const policy =
    `default-src 'none'; style-src ${digest(pageStyle)}; script-src ${digest(pageScript)}; connect-src 'self'; ` +
    nothingElse;
  return { html, policy };
}
