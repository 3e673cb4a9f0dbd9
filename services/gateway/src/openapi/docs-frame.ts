import { html, type Html } from '@receipts/html';
import type { Page } from '../http/pages';
import type { docsAssets } from './docs-assets';
import type { OperationGroup } from './operation-groups';

const nothingElse = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/**
 * Allows scripts, files and requests from the same origin only, and icons as data URLs. Inline scripts are forbidden.
 */
const policy = `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; ${nothingElse}`;
/** The viewer of the reference adds its own style elements. The page contains nothing that a client has sent. */
const referencePolicy = policy.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'");

export type Framed = Omit<Page, 'path'>;

/** A list of links in the sidebar. */
interface Menu {
  readonly title: string;
  readonly links: readonly (readonly [address: string, words: string])[];
}

export interface DocsFrameOptions {
  readonly product: string;
  /** The public path prefix; empty for the root. */
  readonly basePath: string;
  readonly assets: ReturnType<typeof docsAssets>;
  readonly groups: readonly OperationGroup[];
  readonly guides: readonly { readonly name: string; readonly title: string }[];
}

function menusOf({ groups, guides }: DocsFrameOptions): readonly Menu[] {
  const linksOf = (isForOperators: boolean) =>
    groups
      .filter((group) => group.isForOperators === isForOperators)
      .map(({ address, title }) => [address, title] as const);
  return [
    {
      title: 'Start',
      links: [
        ['/docs', 'Overview'],
        ['/docs/guides', 'Guides'],
        ['/docs/signing', 'Signing'],
      ],
    },
    { title: 'API', links: linksOf(false) },
    {
      title: 'Look up',
      links: [
        ['/docs/search', 'Search language'],
        ['/docs/events', 'Events'],
        ['/docs/errors', 'Errors'],
        ['/docs/failed-packets', 'Failed packets'],
      ],
    },
    { title: 'API of operators', links: linksOf(true) },
    {
      title: 'Guides',
      links: guides
        .filter(({ name }) => name !== '')
        .map(({ name, title }) => [`/docs/guides/${name}`, title]),
    },
    {
      title: 'For programs',
      links: [
        ['/openapi.json', 'OpenAPI'],
        ['/asyncapi.json', 'AsyncAPI'],
      ],
    },
  ].filter(({ links }) => links.length > 0) as Menu[];
}

/** Puts a page of text into the frame of the documentation. */
export type Frame = DocsFrame['plain'];

/** The frame of all documentation pages: head, search, sidebar and security headers. */
export class DocsFrame {
  private readonly menus: readonly Menu[];

  constructor(private readonly options: DocsFrameOptions) {
    this.menus = menusOf(options);
  }

  /** A page of text. */
  readonly plain = (title: string, content: Html, path = ''): Framed => {
    const { basePath, assets, product } = this.options;
    const body = html`<header>
        <a class="brand" href="${basePath}/docs">${product}</a><a class="menu-link" href="#menu">Contents</a>
        <div class="search" role="search" hidden>
          <input
            type="search"
            id="search"
            placeholder="Search ( / )"
            aria-label="Search the documentation"
            autocomplete="off"
            role="combobox"
            aria-expanded="false"
            aria-controls="found"
          />
          <ul id="found" role="listbox" aria-label="Results" hidden></ul>
        </div>
      </header>
      <div class="columns">
        ${this.sidebar(path)}
        <main class="plain" id="content">${content}</main>
      </div>`;
    return this.page(title, body, [assets.style, assets.script], policy);
  };

  /** The page of all operations. Its script fetches their description, and lets a viewer show it. */
  reference(description: string): Framed {
    const { product, basePath, assets } = this.options;
    const links = this.menus
      .filter(({ title }) => title === 'Start' || title === 'Look up')
      .flatMap((menu) => menu.links)
      .map(([address, words]) => html`<a href="${basePath}${address}">${words}</a>`);
    const body = html`<nav class="frame" aria-label="Documentation">
        <a class="brand" href="${basePath}/docs">${product}</a>${links}
      </nav>
      <noscript>
        <main>
          <h1>API</h1>
          <p>
            This page needs a script. <a href="${basePath}/openapi.json">openapi.json</a> has the same
            content.
          </p>
        </main>
      </noscript>
      <div id="reference" data-description="${basePath}${description}"></div>`;
    const { style, viewer, script } = assets.reference;
    return this.page('API', body, [style, viewer, script], referencePolicy);
  }

  private sidebar(path: string): Html {
    const { basePath } = this.options;
    const menus = this.menus.map(({ title, links }) => {
      const items = links.map(
        ([address, words]) =>
          html`<li>
            <a href="${basePath}${address}" ${address === path && html`aria-current="page"`}>${words}</a>
          </li>`,
      );
      return html`<h2>${title}</h2>
        <ul>
          ${items}
        </ul>`;
    });
    return html`<nav class="sidebar" id="menu" aria-label="Documentation">${menus}</nav>`;
  }

  private page(title: string, body: Html, assets: readonly Page[], contentPolicy: string): Framed {
    const { product, basePath } = this.options;
    const files = assets.map(({ path }) =>
      path.endsWith('.css')
        ? html`<link rel="stylesheet" href="${basePath}${path}" />`
        : html`<script src="${basePath}${path}" defer></script>`,
    );
    const { text } = html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width,initial-scale=1" />
          <link rel="icon" href="data:," />
          <title>${title} · ${product}</title>
          ${files}
        </head>
        <body data-base="${basePath}">
          ${body}
        </body>
      </html>`;
    return {
      contentType: 'text/html; charset=utf-8',
      body: Buffer.from(text),
      headers: { 'content-security-policy': contentPolicy },
    };
  }
}
