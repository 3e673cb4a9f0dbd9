import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from '../http/app';

const own = (name: string) => path.join(__dirname, '../../browser', name);
const files = {
  'swagger-ui.css': require.resolve('swagger-ui-dist/swagger-ui.css'),
  'docs.css': own('docs.css'),
  'swagger-ui-bundle.js': require.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
  'samples.js': own('samples.js'),
  'reference.js': own('reference.js'),
} as const;
const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

export type AssetName = keyof typeof files;

/** Styles and scripts of the documentation. Their URLs contain their digest, so browsers can cache them forever. */
export class DocsAssets {
  readonly pages: readonly Page[];
  private readonly addresses = new Map<string, string>();

  constructor(private readonly basePath: string) {
    this.pages = Object.entries(files).map(([name, file]) => this.pageOf(name, file));
  }

  addressOf(name: AssetName): string {
    return `${this.basePath}${this.addresses.get(name) ?? ''}`;
  }

  private pageOf(name: string, file: string): Page {
    const bytes = readFileSync(file);
    const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
    const address = `/docs/assets/${digest}/${name}`;
    this.addresses.set(name, address);
    return {
      path: address,
      contentType: types[path.extname(name)] ?? 'application/octet-stream',
      body: { file, length: bytes.length },
      headers: { 'cache-control': 'public, max-age=31536000, immutable', etag: `"${digest}"` },
    };
  }
}
