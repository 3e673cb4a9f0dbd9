import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { gunzipSync } from 'node:zlib';
import { validateXML } from 'xmllint-wasm';

const data = join(__dirname, '..', 'data', 'en16931');

async function readJson(name: string): Promise<unknown> {
  return JSON.parse(gunzipSync(await readFile(join(data, name))).toString());
}

export interface InvoiceRules {
  /** What the schema of UBL and CEN's rules find wrong with an invoice or credit note. */
  faultsOf(xml: string): Promise<readonly string[]>;
}

/** SaxonJS keeps its state in globals, which do not outlive a test file, so it runs in a thread of its own. */
const saxon = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { transform } = require(workerData.saxon);
  parentPort.on('message', (sourceText) => {
    const options = { stylesheetInternal: workerData.stylesheet, sourceText, destination: 'serialized' };
    parentPort.postMessage(transform(options, 'sync').principalResult);
  });
`;

const failed = /<svrl:failed-assert[^>]*\bid="([^"]*)"[\s\S]*?<svrl:text>([\s\S]*?)<\/svrl:text>/g;

/** The public rules of EN 16931 for UBL, see `data/en16931`. */
export async function invoiceRules(): Promise<InvoiceRules> {
  const stylesheet = await readJson('EN16931-UBL-validation.sef.json.gz');
  const schemas = (await readJson('ubl-2.1-xsdrt.json.gz')) as Record<string, string>;
  const rules = new Worker(saxon, {
    eval: true,
    workerData: { saxon: require.resolve('saxon-js'), stylesheet },
  });
  rules.unref();
  const preload = Object.entries(schemas).map(([path, contents]) => ({
    fileName: path.split('/').at(-1) ?? path,
    // All files are in one folder.
    contents: contents.replaceAll('schemaLocation="../common/', 'schemaLocation="'),
  }));
  return {
    async faultsOf(xml) {
      const document = xml.includes('<CreditNote') ? 'CreditNote' : 'Invoice';
      const main = preload.find(({ fileName }) => fileName === `UBL-${document}-2.1.xsd`);
      const { errors } = await validateXML({
        xml: [{ fileName: 'invoice.xml', contents: xml }],
        schema: [main?.contents ?? ''],
        preload: preload.filter((file) => file !== main),
      });
      rules.postMessage(xml);
      const [report] = (await once(rules, 'message')) as [string];
      const broken = [...report.matchAll(failed)].map(([, id, message]) => `${id}: ${message}`);
      return [...errors.map(({ message }) => message), ...broken];
    },
  };
}
