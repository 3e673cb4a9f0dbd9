import type { MappingSample } from '@receipts/contracts';
import { html, type Html } from '../../pages/html';
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

function linesOf(lines: readonly string[], { t }: Language): Html {
  return html`<h3>${t('try.lines')}</h3>
    <ol class="lines" tabindex="0">
      ${lines.slice(0, 500).map((line) => html`<li><code>${line}</code></li>`)}
    </ol>`;
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

function decodedOf(trial: Trial, language: Language): Html {
  const { lines, doc, fields, tables } = trial.run?.decoded ?? {};
  return html`<section class="card" aria-labelledby="decoded">
    <h2 id="decoded">${language.t('try.input')}</h2>
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
    ${lines && linesOf(lines, language)} ${slipParts(trial, language)}
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
    const place = error?.path.split('/').slice(3).join('/');
    return [
      html`<button class="link" form="bench" name="open" value="${index + 1}">
        ${slipName(sample, language)}
      </button>`,
      expectedTotal(sample),
      tests === undefined
        ? t('try.testNotRun')
        : html`${badge(error ? 'bad' : 'good', t(error ? 'try.fails' : 'try.passes'))}${error && html`<small>${place}: ${language.api(error.message)}</small>`}`,
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
