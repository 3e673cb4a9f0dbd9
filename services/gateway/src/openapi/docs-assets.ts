import { browserFile, fileContent } from '../http/files';
import type { Page } from '../http/pages';

function assetOf(name: string): Page {
  const { digest, ...content } = fileContent(browserFile(name), 'public, max-age=31536000, immutable');
  return { path: `/docs/assets/${digest}/${name.replace(/\.gz$/, '')}`, ...content };
}

/** Styles and scripts of the documentation. Their URLs contain their digest, so browsers can cache them forever. */
export const docsAssets = () => ({
  style: assetOf('docs.css'),
  script: assetOf('docs.js'),
  /** Only for the reference page. */
  reference: {
    style: assetOf('reference.css'),
    script: assetOf('reference.js'),
    viewer: assetOf('scalar.js.gz'),
  },
});
