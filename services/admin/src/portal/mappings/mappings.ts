import { mappingTemplates, transformContracts } from '@receipts/contracts';
import { html, type Html } from '@receipts/html';
import { olderLink, parameterOf } from '../../pages/older-link';
import { badge, table } from '../../pages/table';
import type { HandlerOf, Portal } from '../open-portal';
import { portalPage } from '../page';
import { checkPermission, type SignedIn } from '../signed-in';
import { templates } from './mapping-templates';
import { workbenchPath } from './workbench-view';

const mappingsPath = '/portal/mappings';

function headOf({ base, language: { t } }: SignedIn): Html {
  return html`<section class="card" aria-labelledby="mappings">
    <h1 id="mappings">${t('menu.mappings')}</h1>
    <p class="lead">${t('mappings.lead')}</p>
    <div class="actions">
      ${mappingTemplates.map(
        (name) =>
          html`<a class="button quiet" href="${base}${workbenchPath}?template=${name}"
            >${t('mappings.new', { format: templates[name].label ?? t('mappings.printed') })}</a
          >`,
      )}
    </div>
  </section>`;
}

async function listOf({ ask }: Portal, who: SignedIn, older: string | undefined): Promise<Html> {
  checkPermission(who, 'view.manage_mapping');
  const { t } = who.language;
  const page = { count: 100, ...(older && { older }) };
  const find = async (status?: 'active') => {
    const query = { ...page, ...(status && { status }) };
    return (await ask(transformContracts.listMappings, { query }, who.call)).body;
  };
  // Both lists are sorted by id, so the second contains the active version of each mapping in the first.
  const [{ mappings, _links }, active] = await Promise.all([find(), find('active')]);
  if (mappings.length === 0) return html`<p class="card empty">${t('mappings.none')}</p>`;
  const activeVersions = new Map(active.mappings.map(({ id, version }) => [id, version]));
  const columns = [
    t('mappings.mapping'),
    t('mappings.format'),
    t('mappings.newest'),
    t('mappings.active'),
    t('description'),
  ];
  const rows = mappings.map(({ id, decode, version, status, description }) => [
    html`<a class="id" href="${who.base}${workbenchPath}?${new URLSearchParams({ mapping: id }).toString()}"
      >${id}</a
    >`,
    decode.type,
    html`${version} ${badge(status === 'active' ? 'good' : 'plain', t(`status.${status}`))}`,
    String(activeVersions.get(id) ?? t('none')),
    description ?? '',
  ]);
  const next = parameterOf(_links.next, 'older');
  const address = next && `${who.base}${mappingsPath}?${new URLSearchParams({ older: next }).toString()}`;
  return html`<section class="card">
    ${table('mappings', columns, rows)} ${olderLink(address, who.language)}
  </section>`;
}

/** The mappings of the retailer. */
export const portalMappings = (deps: Portal): HandlerOf<'portalMappings'> =>
  portalPage(deps, {
    title: 'menu.mappings',
    menuPath: mappingsPath,
    head: (_, who) => headOf(who),
    result: ({ query }, who) => listOf(deps, who, query.older),
  });
