import { escapeHtml } from '@receipts/contracts';
import type { Page } from '../http/pages';
import type { AssetName, DocsAssets } from './docs-assets';

const links: readonly (readonly [address: string, words: string])[] = [
  ['/docs', 'Reference'],
  ['/docs/errors', 'Errors'],
  ['/docs/signing', 'Signing'],
  ['/docs/search', 'Searching'],
  ['/docs/events', 'Events'],
  ['/openapi.json', 'OpenAPI'],
  ['/asyncapi.json', 'AsyncAPI'],
];
const nothingElse = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export type Framed = Omit<Page, 'path'>;

/** The frame of all documentation pages: head, navigation and security headers. */
export class DocsFrame {
  constructor(
    private readonly product: string,
    private readonly basePath: string,
    private readonly assets: DocsAssets,
  ) {}

  /** A page of text. It loads the style sheet and runs no scripts. */
  readonly plain = (title: string, content: string): Framed =>
    this.page(
      title,
      `<main class="plain">${content}</main>`,
      ['docs.css'],
      "style-src 'self'; img-src data:",
    );

  /**
   * The API reference: Swagger UI renders /openapi.json in the browser. The content security policy allows scripts,
   * files and requests only of the same origin, and the icons in the style sheet as data URLs. Inline scripts are
   * forbidden.
   */
  reference(): Framed {
    const scripts = (['swagger-ui-bundle.js', 'samples.js', 'reference.js'] as const).map(
      (name) => `<script src="${this.assets.addressOf(name)}"></script>`,
    );
    const content =
      `<div id="reference" data-description="${this.basePath}/openapi.json"></div>` +
      '<noscript>The reference needs JavaScript. The description itself is at /openapi.json.</noscript>' +
      scripts.join('');
    const policy = "script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'";
    return this.page('Reference', content, ['swagger-ui.css', 'docs.css'], policy);
  }

  private page(title: string, content: string, styles: readonly AssetName[], allowed: string): Framed {
    const sheets = styles.map((name) => `<link rel="stylesheet" href="${this.assets.addressOf(name)}">`);
    const navigation = links.map(([address, words]) => `<a href="${this.basePath}${address}">${words}</a>`);
    const html =
      '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">' +
      `<title>${escapeHtml(title)} · ${this.product}</title>${sheets.join('')}</head><body>` +
      `<header><strong>${this.product}</strong><nav aria-label="Documentation">${navigation.join('')}</nav></header>${content}</body></html>`;
    return {
      contentType: 'text/html; charset=utf-8',
      body: Buffer.from(html),
      headers: { 'content-security-policy': `default-src 'none'; ${allowed}; ${nothingElse}` },
    };
  }
}
