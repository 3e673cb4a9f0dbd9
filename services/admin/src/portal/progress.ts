import { derivedId, ServiceError, type Call } from '@receipts/kernel';
import { html, type Html } from '@receipts/html';
import { badge, table } from '../pages/table';
import { pageFor, type MenuPath } from './layout';
import type { PageReply } from '../pages/reply';
import type { SignedIn } from './signed-in';

/** One of several things that an action was started for. */
export interface ProgressRow {
  readonly name: Html;
  readonly state: 'done' | 'waiting' | 'failed';
  /** What became of it, in words. */
  readonly result: string;
}

export interface Progress {
  readonly title: string;
  readonly menuPath: MenuPath;
  readonly path: string;
  /** The heading of the things. */
  readonly column: string;
  readonly rows: readonly ProgressRow[];
}

const kinds = { done: 'good', waiting: 'plain', failed: 'bad' } as const;

const refreshSeconds = 2;

/** The most ids that a form or an address may name. */
const idsMax = 50;

/** The chosen ids of a form, or of an address that a user may have edited. */
export const chosenIds = (ids: string | readonly string[] = []): readonly string[] =>
  [...new Set([ids].flat().flatMap((text) => text.split(',')))].filter((id) => id !== '').slice(0, idsMax);

/** The number of things that an action is started for at a time, so that one user does not occupy the platform. */
const atOnce = 5;

/**
 * Starts an action for each of the chosen things, each with a call of its own, because services recognize a repetition by
 * the id of its call.
 * @returns the query of the page that shows what becomes of them
 * @throws ServiceError 422 if nothing was chosen
 */
export async function startForEach(
  chosen: string | readonly string[] | undefined,
  act: (id: string, call: Call) => Promise<unknown>,
  { call, language: { t } }: SignedIn,
): Promise<string> {
  const ids = chosenIds(chosen);
  if (ids.length === 0) throw new ServiceError({ status: 422, description: t('several.none') });
  const rejected: string[] = [];
  const start = async (id: string) => {
    try {
      await act(id, { ...call, id: derivedId(call.id, `${call.id}/${id}`) });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      rejected.push(`${id}~${error.code ?? 'unavailable'}`);
    }
  };
  for (let at = 0; at < ids.length; at += atOnce) {
    await Promise.all(ids.slice(at, at + atOnce).map(start));
  }
  const query = new URLSearchParams({
    ids: ids.join(','),
    ...(rejected.length > 0 && { rejected: rejected.join(',') }),
  });
  return query.toString();
}

/** The codes of rejections by id. Other texts in the address are ignored. */
export const rejectionsIn = (text = ''): ReadonlyMap<string, string> =>
  new Map(
    text.split(',').flatMap((one): [string, string][] => {
      const [id, code] = one.split('~');
      return id && code ? [[id, code]] : [];
    }),
  );

/** What became of each of several things, refreshed until nothing is waiting. */
export function progressPage({ title, menuPath, path, column, rows }: Progress, who: SignedIn): PageReply {
  const { t, number } = who.language;
  const done = rows.filter(({ state }) => state !== 'waiting').length;
  const cells = rows.map(({ name, state, result }) => [name, html`${badge(kinds[state], result)}`]);
  const said = t('several.progress', { done: number(done), count: number(rows.length) });
  const main = html`<p class="crumb"><a href="${who.base}${menuPath}">${t('several.back')}</a></p>
    <h1 id="several">${title}</h1>
    <section class="card" data-refreshed="${done < rows.length && refreshSeconds}">
      <p role="status">${said}</p>
      <progress max="${rows.length}" value="${done}" aria-label="${title}"></progress>
      ${table('several', [column, t('several.result')], cells)}
    </section>`;
  return pageFor(who, { title, main, menuPath, path, script: '/portal/live-part.js' });
}
