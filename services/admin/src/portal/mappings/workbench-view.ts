import type { MappingDocument } from '@receipts/contracts';
import { field, problem } from '../../pages/form-fields';
import { html, type Html } from '../../pages/html';
import { badge } from '../../pages/table';
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

const doneTexts: Readonly<Record<string, string>> = {
  save: 'The mapping was saved as a draft.',
  keep: 'The mapping was saved as a draft, with the slip as a test.',
  removed: 'The test was removed, and the mapping saved as a draft.',
  activate: 'The version is active.',
};

function successOf({ done, slip }: Workbench, who: SignedIn, base: string): Html | undefined {
  const text = done === undefined ? undefined : doneTexts[done];
  if (text === undefined) return undefined;
  const again =
    done === 'activate' &&
    who.may('view.get_packet') &&
    html` <a href="${base}/portal/packets${slip.packet && `#packet-${slip.packet.id}`}"
      >Convert failed packets again</a
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

function slipFields(slip: Slip): Html {
  const text = slipText(slip);
  return html`<section class="card" aria-labelledby="slip-title">
    <h2 id="slip-title">Slip</h2>
    ${
      slip.packet &&
      html`<p>
        Packet <code>${slip.packet.id}</code>
        ${slip.packet.reason !== null && badge('bad', slip.packet.reason)}
        <input type="hidden" name="packet" value="${slip.packet.id}" />
      </p>`
    }
    ${
      slip.test !== undefined &&
      html`<p>
        Test ${slip.test} of this mapping
        <input type="hidden" name="test" value="${slip.test}" />
      </p>`
    }
    ${
      text === undefined &&
      html`<p class="soft">${slip.bytes.length} bytes that are not text. Text entered here replaces them.</p>
        <input type="hidden" name="slip_base64" value="${slip.bytes.toString('base64')}" />`
    }
    ${area('slip', 'Text', text ?? '', 12)}
    ${field({ name: 'file', label: 'Or a file with the data that the till sends', type: 'file' })}
    ${field({ name: 'content_type', label: 'Media type', value: slip.contentType })}
  </section>`;
}

function versionLinks({ stored, versions }: Workbench, base: string): Html | undefined {
  if (!stored) return undefined;
  const { id, version, status } = stored;
  const link = (wanted: number | undefined, label: string) => {
    if (wanted === undefined || wanted === version) return undefined;
    const query = new URLSearchParams({ mapping: id, version: String(wanted) });
    return html`<a href="${base}${workbenchPath}?${query.toString()}">${label} ${wanted}</a>`;
  };
  const { newest, active } = versions ?? {};
  return html`<p>
    Version ${version} ${badge(status === 'active' ? 'good' : 'plain', status)}
    ${version > 1 && version - 1 !== active && link(version - 1, 'Version')}
    ${link(active, 'Active: version')} ${newest !== active && link(newest, 'Newest: version')}
  </p>`;
}

function mappingFields(workbench: Workbench, base: string): Html {
  const { draft, stored } = workbench;
  return html`<section class="card" aria-labelledby="mapping-title">
    <h2 id="mapping-title">Mapping</h2>
    ${versionLinks(workbench, base)}
    <input type="hidden" name="version" value="${stored?.version}" />
    ${field({
      name: 'id',
      label: 'Id',
      value: draft.id,
      hint: 'Letters, digits, “-”, “_” and “.”. For an existing id, a new version is created.',
    })}
    ${field({ name: 'description', label: 'Description', value: draft.description })}
    ${area('rules', 'Which packets it applies to, and how they are read', draft.rules, 14, 'JSON with match, decode and extract. “match” names sources (header Service-Source-Id), media types, stores or tills.')}
    ${area('expression', 'Expression', draft.expression, 16, 'JSONata that builds the receipt from fields, tables, lines, doc, props and meta.')}
    <div class="actions">
      <button name="action" value="run">Run</button>
      <button class="quiet" name="action" value="save">Save as draft</button>
      <button class="quiet" name="action" value="keep">Save with slip as test</button>
      ${stored && html`<button class="quiet" name="action" value="compare">Compare with packets</button>`}
      ${
        stored &&
        stored.status !== 'active' &&
        html`<button class="quiet" name="action" value="activate">Activate version ${stored.version}</button>`
      }
    </div>
  </section>`;
}

/** The slip, the mapping and the result. */
export function workbenchView(workbench: Workbench, who: SignedIn, base: string): Html {
  const { draft, slip, trial, stored, fault, differences } = workbench;
  return html`<p class="crumb"><a href="${base}/portal/mappings">All mappings</a></p>
    <h1>${draft.id === '' ? 'New mapping' : draft.id}</h1>
    ${problem(fault)} ${successOf(workbench, who, base)} ${differences}
    <div class="bench">
      <form
        id="bench"
        method="post"
        action="${base}${workbenchPath}"
        enctype="multipart/form-data"
        aria-label="Mapping"
        data-live-form
      >
        <input type="hidden" name="csrf" value="${who.session.csrf}" />
        ${slipFields(slip)} ${mappingFields(workbench, base)}
      </form>
      ${trialView(trial, draft, who, stored?.samples)}
    </div>`;
}
