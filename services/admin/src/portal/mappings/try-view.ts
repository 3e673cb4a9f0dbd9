import type { MappingSample } from '@receipts/contracts';
import { html, type Html } from '../../pages/html';
import { moneyFormat } from '../../pages/formats';
import { badge, table } from '../../pages/table';
import { checkSentence } from '../check-sentences';
import { receiptFrame } from '../receipt-frame';
import type { SignedIn } from '../signed-in';
import { slipOfSample, slipText, type Draft } from './draft';
import { faultList } from './fault-list';
import type { Trial } from './try-mapping';

const charactersMax = 40_000;
const cut = (text: string) => (text.length <= charactersMax ? text : `${text.slice(0, charactersMax)}\n…`);
const data = (value: unknown) => html`<pre tabindex="0">${cut(JSON.stringify(value, null, 2))}</pre>`;

function checksOf({ preview }: Trial, who: SignedIn): Html | undefined {
  if (!preview || preview.checks.length === 0) return undefined;
  const money = moneyFormat(who.retailer.settings.locale, preview.currency);
  return html`<p>The receipt does not add up:</p>
    <ul>
      ${preview.checks.map((check) => html`<li>${checkSentence(check, money)}</li>`)}
    </ul>`;
}

const counted = (count: number, thing: string) => `${count} ${thing}${count === 1 ? '' : 's'}`;

function receiptsOf(trial: Trial, draft: Draft, who: SignedIn): Html {
  const { run, faults, preview, page } = trial;
  const count = run?.receipts.length ?? 0;
  const said = counted(count, 'receipt');
  return html`<section class="card" aria-labelledby="receipt">
    <h2 id="receipt">Receipt</h2>
    <p class="soft" role="status">
      ${run ? html`${said}${faults.length > 0 && `, ${counted(faults.length, 'error')}`} in ${run.time} ms` : 'Not run'}
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

const firstLineMax = 60;

/** The first line of a slip, or its size if it is not text. */
function slipName(sample: MappingSample): string {
  const slip = slipOfSample(sample);
  const [line] = (slipText(slip) ?? '').split('\n').filter((text) => text.trim() !== '');
  return line === undefined ? `${slip.bytes.length} bytes` : line.trim().slice(0, firstLineMax);
}

function expectedTotal({ expect }: MappingSample): string {
  const totals = (Array.isArray(expect) ? expect : [expect]).map(({ total }) => total);
  return totals.filter((total) => typeof total === 'number').join(', ');
}

function testsOf({ tests }: Trial, samples: readonly MappingSample[]): Html | undefined {
  if (samples.length === 0) return undefined;
  const columns = [
    { head: 'Slip' },
    { head: 'Expected total', isNumber: true },
    { head: 'Now' },
    { head: 'Action' },
  ];
  const rows = samples.map((sample, index) => {
    const [error] = tests?.[index]?.errors ?? [];
    const place = error?.path.split('/').slice(3).join('/');
    return [
      html`<button class="link" form="bench" name="open" value="${index + 1}">${slipName(sample)}</button>`,
      expectedTotal(sample),
      tests === undefined
        ? 'not run'
        : html`${badge(error ? 'bad' : 'good', error ? 'fails' : 'passes')}${error && html`<small>${place}: ${error.message}</small>`}`,
      html`<button
        class="quiet"
        form="bench"
        name="remove"
        value="${index + 1}"
        aria-label="Remove test ${index + 1}"
      >
        Remove
      </button>`,
    ];
  });
  return html`<section class="card" aria-labelledby="tests">
    <h2 id="tests">Tests</h2>
    <p class="soft">They run before a version is activated. Removing one saves a new draft.</p>
    ${table('tests', columns, rows)}
  </section>`;
}

/** What became of the slip and of the tests. The script replaces it while the author types. */
export function trialView(
  trial: Trial,
  draft: Draft,
  who: SignedIn,
  samples: readonly MappingSample[] = [],
): Html {
  return html`<div data-live>
    ${receiptsOf(trial, draft, who)} ${testsOf(trial, samples)} ${decodedOf(trial)}
  </div>`;
}
