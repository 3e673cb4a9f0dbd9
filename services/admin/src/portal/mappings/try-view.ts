import { html, type Html } from '../../pages/html';
import { moneyFormat } from '../../pages/formats';
import { table } from '../../pages/table';
import { checkSentence } from '../check-sentences';
import { receiptFrame } from '../receipt-frame';
import type { SignedIn } from '../signed-in';
import type { Draft, Fault } from './draft';
import type { Trial } from './try-mapping';

const charactersMax = 40_000;
const cut = (text: string) => (text.length <= charactersMax ? text : `${text.slice(0, charactersMax)}\n…`);
const data = (value: unknown) => html`<pre tabindex="0">${cut(JSON.stringify(value, null, 2))}</pre>`;

/** The line in the editor that a fault refers to. */
function sourceLine({ path, line }: Fault, draft: Draft): Html | undefined {
  const source = path === '/transform/expression' ? draft.expression : path === '/rules' ? draft.rules : '';
  const text = line === undefined ? undefined : source.split('\n')[line - 1]?.trim();
  return text ? html`<code>${text}</code>` : undefined;
}

const editorOf = (path: string): string | undefined => {
  if (path === '/transform/expression') return 'expression';
  return path === '/id' ? 'id' : /^\/\d/.test(path) ? undefined : 'rules';
};

function faultItem(fault: Fault, draft: Draft): Html {
  const { path, message, line } = fault;
  const editor = editorOf(path);
  const place = html`<code>${path === '' ? '/' : path}</code>${line !== undefined && `, line ${line}`}`;
  return html`<li data-editor="${editor}" data-line="${line}">
    ${editor === undefined ? place : html`<a href="#${editor}">${place}</a>`}: ${message}
    ${sourceLine(fault, draft)}
  </li>`;
}

export function faultList(faults: readonly Fault[], draft: Draft): Html | undefined {
  if (faults.length === 0) return undefined;
  return html`<div class="faults" role="status">
    <ul>
      ${faults.map((fault) => faultItem(fault, draft))}
    </ul>
  </div>`;
}

function checksOf({ preview }: Trial, who: SignedIn): Html | undefined {
  if (!preview || preview.checks.length === 0) return undefined;
  const money = moneyFormat(who.retailer.settings.locale, preview.currency);
  return html`<p>The receipt does not add up:</p>
    <ul>
      ${preview.checks.map((check) => html`<li>${checkSentence(check, money)}</li>`)}
    </ul>`;
}

function receiptsOf(trial: Trial, draft: Draft, who: SignedIn): Html {
  const { run, faults, preview, page } = trial;
  const count = run?.receipts.length ?? 0;
  const said = count === 1 ? '1 receipt' : `${count} receipts`;
  return html`<section class="card" aria-labelledby="receipt">
    <h2 id="receipt">Receipt</h2>
    <p class="soft" role="status">
      ${run ? html`${said}${faults.length > 0 && `, ${faults.length} errors`} in ${run.time} ms` : 'Not run'}
    </p>
    ${faultList(faults, draft)} ${checksOf(trial, who)} ${preview && receiptFrame(page.html)}
    ${
      count > 0 &&
      html`<details ${!preview && html`open`}>
        <summary>As data</summary>
        ${data(run?.receipts)}
      </details>`
    }
  </section>`;
}

function linesOf(lines: readonly string[]): Html {
  return html`<h3>Lines</h3>
    <ol class="lines" tabindex="0">
      ${lines.slice(0, 500).map((line) => html`<li><code>${line}</code></li>`)}
    </ol>`;
}

function slipParts({ listing }: Trial): Html {
  const columns = ['Position', 'Bytes', 'Text or command'].map((head) => ({ head }));
  const rows = listing.parts.map(({ offset, hex, command, text }) => [
    String(offset),
    html`<code>${hex}</code>`,
    command === null ? html`<code>${text}</code>` : html`<strong>${command}</strong>`,
  ]);
  return html`<details>
    <summary id="bytes">Bytes and printer commands</summary>
    ${!listing.is_whole && html`<p class="soft">Only the beginning is listed.</p>`}
    ${table('bytes', columns, rows)}
  </details>`;
}

function decodedOf(trial: Trial): Html {
  const { lines, doc, fields, tables } = trial.run?.decoded ?? {};
  return html`<section class="card" aria-labelledby="decoded">
    <h2 id="decoded">Input of the expression</h2>
    ${
      fields &&
      html`<h3><code>fields</code></h3>
        ${data(fields)}`
    }
    ${
      tables &&
      html`<h3><code>tables</code></h3>
        ${data(tables)}`
    }
    ${
      doc !== undefined &&
      html`<h3><code>doc</code></h3>
        ${data(doc)}`
    }
    ${lines && linesOf(lines)} ${slipParts(trial)}
  </section>`;
}

/** The result for the slip. The script replaces it while the author types. */
export function trialView(trial: Trial, draft: Draft, who: SignedIn): Html {
  return html`<div data-live>${receiptsOf(trial, draft, who)} ${decodedOf(trial)}</div>`;
}
