import { browserFile, fileContent } from '../http/files';
import type { Page } from '../http/pages';

const files = {
  'docs.css': browserFile('docs.css'),
  'docs.js': browserFile('docs.js'),
} as const;
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
    const { digest, ...content } = fileContent(file, 'public, max-age=31536000, immutable');
    const address = `/docs/assets/${digest}/${name}`;
    this.addresses.set(name, address);
    return { path: address, ...content };
  }
}
