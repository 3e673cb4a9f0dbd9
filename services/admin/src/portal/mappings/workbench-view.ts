import type { MappingDocument } from '@receipts/contracts';
import { field, postForm, problem } from '../../pages/form-fields';
import { html, type Html } from '@receipts/html';
import type { Language, MessageKey } from '../../pages/language';
import { badge } from '../../pages/table';
import { doneText, type DoneTexts } from '../done-text';
import type { SignedIn } from '../signed-in';
import { slipText, type Draft, type Slip } from './draft';
import { trialView } from './try-view';
import type { Trial } from './try-mapping';

export const workbenchPath = '/portal/mappings/workbench';

export interface Workbench {
  readonly draft: Draft;
  readonly slip: Slip;
  readonly trial: Trial;
  /** The stored version being edited; absent for a new mapping. */
  readonly stored?: MappingDocument | undefined;
  /** The newest and the active version. */
  readonly versions?: { readonly newest: number; readonly active: number | undefined } | undefined;
  readonly done?: string | undefined;
  readonly fault?: string | undefined;
  /** The result of a comparison with the active version. */
  readonly differences?: Html | undefined;
}

const doneTexts: DoneTexts = {
  save: 'bench.saved',
  keep: 'bench.kept',
  removed: 'bench.removed',
  activate: 'bench.activated',
};

function successOf({ done, slip }: Workbench, who: SignedIn): Html | undefined {
  const text = doneText(doneTexts, done, who.language);
  if (text === undefined) return undefined;
  const again =
    done === 'activate' &&
    who.may('view.get_packet') &&
    html` <a href="${who.base}/portal/packets${slip.packet && `#packet-${slip.packet.id}`}"
      >${who.language.t('bench.convertAgain')}</a
    >`;
  return html`<p class="notice good" role="status">${text}${again}</p>`;
}

const area = (name: string, label: string, value: string, rows: number, hint?: string): Html =>
  html`<div class="field">
    <label for="${name}">${label}</label>
    <div class="editor">
      <textarea
        id="${name}"
        name="${name}"
        rows="${rows}"
        spellcheck="false"
        autocapitalize="off"
        ${hint !== undefined && html`aria-describedby="${name}-hint" data-code`}
      >
${value}</textarea>
    </div>
    ${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
  </div>`;

function slipFields(slip: Slip, { t, plural }: Language): Html {
  const text = slipText(slip);
  return html`<section class="card" aria-labelledby="slip-title">
    <h2 id="slip-title">${t('bench.slip')}</h2>
    ${
      slip.packet &&
      html`<p>
        ${t('packet')} <code>${slip.packet.id}</code>
        ${slip.packet.reason !== null && badge('bad', t(`packetReason.${slip.packet.reason}`))}
        <input type="hidden" name="packet" value="${slip.packet.id}" />
      </p>`
    }
    ${
      slip.test !== undefined &&
      html`<p>
        ${t('bench.testOf', { number: slip.test })}
        <input type="hidden" name="test" value="${slip.test}" />
      </p>`
    }
    ${
      text === undefined &&
      html`<p class="soft">${plural('bench.notText', slip.bytes.length)}</p>
        <input type="hidden" name="slip_base64" value="${slip.bytes.toString('base64')}" />`
    }
    ${area('slip', t('bench.text'), text ?? '', 12)}
    ${field({ name: 'file', label: t('bench.file'), type: 'file' })}
    ${field({ name: 'content_type', label: t('bench.mediaType'), value: slip.contentType })}
  </section>`;
}

function versionLinks(
  { stored, versions }: Workbench,
  { base, language: { t } }: SignedIn,
): Html | undefined {
  if (!stored) return undefined;
  const { id, version, status } = stored;
  const link = (wanted: number | undefined, label: MessageKey) => {
    if (wanted === undefined || wanted === version) return undefined;
    const query = new URLSearchParams({ mapping: id, version: String(wanted) });
    return html`<a href="${base}${workbenchPath}?${query.toString()}">${t(label, { version: wanted })}</a>`;
  };
  const { newest, active } = versions ?? {};
  return html`<p>
    ${t('bench.version', { version })} ${badge(status === 'active' ? 'good' : 'plain', t(`status.${status}`))}
    ${version > 1 && version - 1 !== active && link(version - 1, 'bench.version')}
    ${link(active, 'bench.activeVersion')} ${newest !== active && link(newest, 'bench.newestVersion')}
  </p>`;
}

function mappingFields(workbench: Workbench, who: SignedIn): Html {
  const { t } = who.language;
  const { draft, stored } = workbench;
  return html`<section class="card" aria-labelledby="mapping-title">
    <h2 id="mapping-title">${t('mappings.mapping')}</h2>
    ${versionLinks(workbench, who)}
    <input type="hidden" name="version" value="${stored?.version}" />
    ${field({
      name: 'id',
      label: t('bench.id'),
      value: draft.id,
      hint: t('bench.idHint'),
    })}
    ${field({ name: 'description', label: t('description'), value: draft.description })}
    ${area('rules', t('bench.rules'), draft.rules, 14, t('bench.rulesHint'))}
    ${area('expression', t('bench.expression'), draft.expression, 16, t('bench.expressionHint'))}
    <div class="actions">
      <button name="action" value="run">${t('bench.run')}</button>
      <button class="quiet" name="action" value="save">${t('bench.save')}</button>
      <button class="quiet" name="action" value="keep">${t('bench.keep')}</button>
      ${stored && html`<button class="quiet" name="action" value="compare">${t('bench.compare')}</button>`}
      ${
        stored &&
        stored.status !== 'active' &&
        html`<button class="quiet" name="action" value="activate">
          ${t('bench.activate', { version: stored.version })}
        </button>`
      }
    </div>
  </section>`;
}

/** The slip, the mapping and the result. */
export function workbenchView(workbench: Workbench, who: SignedIn): Html {
  const { draft, slip, trial, stored, fault, differences } = workbench;
  const { t } = who.language;
  const fields = html`${slipFields(slip, who.language)} ${mappingFields(workbench, who)}`;
  const attributes = { id: 'bench', label: t('mappings.mapping'), hasFiles: true, isLive: true };
  return html`<p class="crumb"><a href="${who.base}/portal/mappings">${t('mappings.all')}</a></p>
    <h1>${draft.id === '' ? t('bench.new') : draft.id}</h1>
    ${problem(fault)} ${successOf(workbench, who)} ${differences}
    <div class="bench">
      ${postForm(`${who.base}${workbenchPath}`, who.session.csrf, fields, attributes)}
      ${trialView(trial, draft, who, stored?.samples)}
    </div>`;
}
