import type { MappingSample } from '@receipts/contracts';
import { html, type Html } from '@receipts/html';
import type { Language } from '../../pages/language';
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

function checksOf({ preview }: Trial, language: Language): Html | undefined {
  if (!preview || preview.checks.length === 0) return undefined;
  return html`<p>${language.t('try.doesNotAddUp')}</p>
    <ul>
      ${preview.checks.map((check) => html`<li>${checkSentence(check, preview.currency, language)}</li>`)}
    </ul>`;
}

function summaryOf({ run, faults }: Trial, { t, plural }: Language): string {
  if (!run) return t('try.notRun');
  const errors = faults.length > 0 ? [plural('try.errors', faults.length)] : [];
  const result = [plural('try.receipts', run.receipts.length), ...errors].join(', ');
  return t('try.took', { result, time: run.time });
}

function receiptsOf(trial: Trial, draft: Draft, language: Language): Html {
  const { t } = language;
  const { run, faults, preview, page } = trial;
  const count = run?.receipts.length ?? 0;
  return html`<section class="card" aria-labelledby="receipt">
    <h2 id="receipt">${t('receipt')}</h2>
    <p class="soft" role="status">${summaryOf(trial, language)}</p>
    ${faultList(faults, draft, language)} ${checksOf(trial, language)}
    ${preview && receiptFrame(page.html, language)}
    ${
      count > 0 &&
      html`<details ${!preview && html`open`}>
        <summary>${t('try.asData')}</summary>
        ${data(run?.receipts)}
      </details>`
    }
  </section>`;
}

type DecodedPart = NonNullable<Trial['run']>['decoded']['parts'][number];

const shownLinesMax = 500;
const shownPartsMax = 20;
const rulerColumnsMax = 120;

/** Marks every fifth column, and numbers every tenth. */
function rulerOf(lines: readonly string[]): string {
  const columns = Math.min(Math.max(...lines.map((line) => line.length), 10), rulerColumnsMax);
  return Array.from({ length: Math.ceil(columns / 10) }, (_, index) => `····|····${(index + 1) % 10}`)
    .join('')
    .slice(0, columns);
}

/** The slip as it looks on paper, in a font in which all characters have the same width. */
function paperOf({ lines = [], codes = [] }: DecodedPart, { t }: Language): Html {
  const shown = lines.slice(0, shownLinesMax);
  return html`<div>
    <h3>${t('try.lines')}</h3>
    <div class="lines" tabindex="0" role="region" aria-label="${t('try.lines')}">
      <pre class="ruler" aria-hidden="true">${rulerOf(shown)}</pre>
      <ol>
        ${shown.map((line) => html`<li><code>${line}</code></li>`)}
      </ol>
    </div>
    ${
      codes.length > 0 &&
      html`<h3><code>codes</code></h3>
        ${data(codes)}`
    }
  </div>`;
}

function slipParts({ listing }: Trial, { t }: Language): Html {
  const columns = [t('try.position'), t('try.bytes'), t('try.textOrCommand')];
  const rows = listing.parts.map(({ offset, hex, command, text }) => [
    String(offset),
    html`<code>${hex}</code>`,
    command === null ? html`<code>${text}</code>` : html`<strong>${command}</strong>`,
  ]);
  return html`<details>
    <summary id="bytes">${t('try.commands')}</summary>
    ${!listing.is_whole && html`<p class="soft">${t('try.beginning')}</p>`} ${table('bytes', columns, rows)}
  </details>`;
}

function readValues({ fields, tables, doc }: DecodedPart): Html {
  return html`<div>
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
  </div>`;
}

function warningsOf({ run }: Trial, language: Language): Html | undefined {
  // The checks of the receipt are shown above it.
  const warnings = (run?.warnings ?? []).filter(({ code }) => code === 'unmatched_lines');
  if (warnings.length === 0) return undefined;
  return html`<ul>
    ${warnings.map(({ path, message }) => html`<li><code>${path}</code>: ${language.api(message)}</li>`)}
  </ul>`;
}

function decodedOf(trial: Trial, language: Language): Html {
  const { t } = language;
  const parts = trial.run?.decoded.parts ?? [];
  return html`<section class="card" aria-labelledby="decoded">
    <h2 id="decoded">${t('try.input')}</h2>
    ${warningsOf(trial, language)}
    ${parts.slice(0, shownPartsMax).map(
      (part, index) =>
        html`${parts.length > 1 && html`<h3>${t('try.part', { number: index + 1, count: parts.length })}</h3>`}
          <div class="decoded">${part.lines && paperOf(part, language)} ${readValues(part)}</div>`,
    )}
    ${slipParts(trial, language)}
  </section>`;
}

const firstLineMax = 60;

/** The first line of a slip, or its size if it is not text. */
function slipName(sample: MappingSample, { plural }: Language): string {
  const slip = slipOfSample(sample);
  const [line] = (slipText(slip) ?? '').split('\n').filter((text) => text.trim() !== '');
  return line === undefined ? plural('bytes', slip.bytes.length) : line.trim().slice(0, firstLineMax);
}

function expectedTotal({ expect }: MappingSample): string {
  const totals = (Array.isArray(expect) ? expect : [expect]).map(({ total }) => total);
  return totals.filter((total) => typeof total === 'number').join(', ');
}

function testsOf({ tests }: Trial, samples: readonly MappingSample[], language: Language): Html | undefined {
  if (samples.length === 0) return undefined;
  const { t } = language;
  const columns = [t('bench.slip'), { numbers: t('try.expected') }, t('try.now'), t('action')];
  const rows = samples.map((sample, index) => {
    const [error] = tests?.[index]?.errors ?? [];
    const field = error?.path.split('/').slice(3).join('/');
    return [
      html`<button class="link" form="bench" name="open" value="${index + 1}">
        ${slipName(sample, language)}
      </button>`,
      expectedTotal(sample),
      tests === undefined
        ? t('try.testNotRun')
        : html`${badge(error ? 'bad' : 'good', t(error ? 'try.fails' : 'try.passes'))}${error && html`<small>${field}: ${language.api(error.message)}</small>`}`,
      html`<button
        class="quiet"
        form="bench"
        name="remove"
        value="${index + 1}"
        aria-label="${t('try.removeTest', { number: index + 1 })}"
      >
        ${t('try.remove')}
      </button>`,
    ];
  });
  return html`<section class="card" aria-labelledby="tests">
    <h2 id="tests">${t('try.tests')}</h2>
    <p class="soft">${t('try.testsHint')}</p>
    ${table('tests', columns, rows)}
  </section>`;
}

/** The results for the slip and the tests. The script replaces them while the author types. */
export function trialView(
  trial: Trial,
  draft: Draft,
  { language }: SignedIn,
  samples: readonly MappingSample[] = [],
): Html {
  return html`<div data-live>
    ${receiptsOf(trial, draft, language)} ${testsOf(trial, samples, language)} ${decodedOf(trial, language)}
  </div>`;
}
