import path from 'node:path';

/** The values that differ between platforms on this machine. */
interface Values {
  readonly baseUrl: string;
  /** The data folder as seen from the folder in which the commands are run. */
  readonly dataDir: string;
}

/** Those that README uses. */
const usual: Values = { baseUrl: 'http://127.0.0.1:8080', dataDir: '.data' };

/**
 * The commands of README's quick start that use a running platform, with the values of this one. Empty if README's
 * own values are right.
 */
export function readmeLines(readme: string, { baseUrl, dataDir }: Values): string[] {
  if (baseUrl === usual.baseUrl && dataDir === usual.dataDir) return [];
  const quickStart = readme.slice(readme.indexOf('### Post a receipt'), readme.indexOf('### Sign in'));
  const blocks = [...quickStart.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
  const folder = path.isAbsolute(dataDir) || dataDir.startsWith('../') ? dataDir : `./${dataDir}`;
  return blocks
    .join('\n')
    .trimEnd()
    .replaceAll(usual.baseUrl, baseUrl)
    .replaceAll(`./${usual.dataDir}/`, `${folder}/`)
    .split('\n');
}
