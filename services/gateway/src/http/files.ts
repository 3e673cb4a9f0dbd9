import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from './pages';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

/** The path of a file in `browser/`. */
export const browserFile = (name: string) => path.join(__dirname, '../../browser', name);

/**
 * The content of a page that is a file, and its digest. The file is read from the disk for each request. A file that is
 * stored compressed is sent compressed, which every browser accepts.
 */
export function fileContent(
  file: string,
  cacheControl: string,
): Omit<Page, 'path'> & { readonly digest: string } {
  const bytes = readFileSync(file);
  const isCompressed = file.endsWith('.gz');
  const type = path.extname(isCompressed ? path.basename(file, '.gz') : file);
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  return {
    digest,
    contentType: types[type] ?? 'application/octet-stream',
    body: { file, length: bytes.length },
    headers: {
      'cache-control': cacheControl,
      etag: `"${digest}"`,
      ...(isCompressed && { 'content-encoding': 'gzip' }),
    },
  };
}

const siteFiles = [
  'portal/portal.css',
  'portal/live-form.js',
  'portal/live-part.js',
  'operator/operations.css',
];

/** Style sheets and scripts of the pages that admin renders. */
export const sitePages = (): Page[] =>
  siteFiles.map((name) => ({
    path: `/${name}`,
    ...fileContent(browserFile(path.basename(name)), 'public, max-age=3600'),
  }));
