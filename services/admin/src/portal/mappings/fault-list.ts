import { groupBy } from '@receipts/concurrency';
import { html, type Html } from '@receipts/html';
import type { Language } from '../../pages/language';
import type { Draft, Fault } from './draft';
import { JsonTextError, nearestOffset, positionAt, valueOffsets } from './json-text';

const itemsMax = 10;
const pathsMax = 12;

/** A part of the mapping that an error is about. */
interface FaultLocation {
  readonly label: string;
  /** The form field that contains the error; `line` is the line in it. */
  readonly editor?: 'expression' | 'id' | 'rules' | undefined;
  readonly line?: number | undefined;
  /** Where in the data the error is. */
  readonly slipLine?: number | undefined;
}

const membersOfRules = /^\/(?:match|decode|extract|defaults|limits)\b/;

/** The line of the rules that a pointer leads to. */
function lineInRules(pointer: string, { rules }: Draft): number | undefined {
  try {
    const offset = nearestOffset(valueOffsets(rules), pointer);
    return offset === undefined ? undefined : positionAt(rules, offset).line;
  } catch (error) {
    if (error instanceof JsonTextError) return undefined;
    throw error;
  }
}

function locationOf({ path, line }: Fault, draft: Draft, { t }: Language): FaultLocation {
  if (path === '/id') return { label: t('bench.id'), editor: 'id' };
  if (path === '/rules') return { label: t('faults.rules'), editor: 'rules', line };
  if (path === '/transform/expression') return { label: t('bench.expression'), editor: 'expression', line };
  if (!membersOfRules.test(path)) return { label: path || '/', slipLine: line };
  return { label: path, editor: 'rules', line: lineInRules(path, draft), slipLine: line };
}

/** The line of the editor that an error is about. */
function sourceLine({ editor, line }: FaultLocation, draft: Draft): Html | undefined {
  if (line === undefined || editor === undefined) return undefined;
  const text = draft[editor].split('\n')[line - 1]?.trim();
  return text ? html`<code class="source">${text}</code>` : undefined;
}

/** An entry for errors with the same message, such as missing members. */
function faultItem([fault, ...others]: readonly [Fault, ...Fault[]], draft: Draft, language: Language): Html {
  const { t } = language;
  const location = locationOf(fault, draft, language);
  const { label, editor, line, slipLine } = location;
  const shown = others.slice(0, pathsMax - 1).map(({ path }) => html` <code>${path}</code>`);
  const hidden = others.length - shown.length;
  const lines = [
    line === undefined ? undefined : `, ${t('faults.line', { line })}`,
    slipLine === undefined ? undefined : `, ${t('faults.slipLine', { line: slipLine })}`,
  ];
  const where = html`<code>${label}</code>${lines}`;
  return html`<li data-editor="${editor}" data-line="${line}">
    ${editor === undefined ? where : html`<a href="#${editor}">${where}</a>`}${shown}${hidden > 0 && ` ${t('faults.andMore', { count: hidden })}`}:
    ${language.api(fault.message)} ${sourceLine(location, draft)}
  </li>`;
}

/** Errors with the same key are listed together. For errors in receipts, the message alone is the key. */
const keyOf = ({ path, message }: Fault) => (/^\/\d/.test(path) ? message : `${path} ${message}`);

export function faultList(faults: readonly Fault[], draft: Draft, language: Language): Html | undefined {
  if (faults.length === 0) return undefined;
  const groups = [...groupBy(faults, keyOf).values()].flatMap(([first, ...others]) =>
    first ? [[first, ...others] as const] : [],
  );
  const hidden = groups.length - itemsMax;
  return html`<div class="faults" role="status">
    <ul>
      ${groups.slice(0, itemsMax).map((group) => faultItem(group, draft, language))}
      ${hidden > 0 && html`<li>${language.t('faults.andMore', { count: hidden })}</li>`}
    </ul>
  </div>`;
}
