import { mappingTemplates, transformContracts } from '@receipts/contracts';
import { html, type Html } from '../../pages/html';
import { badge, table } from '../../pages/table';
import type { Endpoint, Portal } from '../open-portal';
import { portalPage } from '../page';
import { checkPermission, type SignedIn } from '../signed-in';
import { templates } from './mapping-templates';
import { workbenchPath } from './workbench-view';

function headOf(base: string): Html {
  return html`<section class="card" aria-labelledby="mappings">
    <h1 id="mappings">Mappings</h1>
    <p class="lead">
      A mapping turns the data of a till into receipts. Start a new one from an example, or open a failed
      packet.
    </p>
    <div class="actions">
      ${mappingTemplates.map(
        (name) =>
          html`<a class="button quiet" href="${base}${workbenchPath}?template=${name}"
            >New: ${templates[name].label}</a
          >`,
      )}
    </div>
  </section>`;
}

async function listOf({ ask, base }: Portal, who: SignedIn): Promise<Html> {
  checkPermission(who, 'view.manage_mapping');
  const find = async (status?: 'active') =>
    (
      await ask(
        transformContracts.listMappings,
        { query: { count: 100, ...(status && { status }) } },
        who.call,
      )
    ).body.mappings;
  const [mappings, active] = await Promise.all([find(), find('active')]);
  if (mappings.length === 0) return html`<p class="card empty">There are no mappings yet.</p>`;
  const activeVersions = new Map(active.map(({ id, version }) => [id, version]));
  const columns = ['Mapping', 'Format', 'Newest version', 'Active version', 'Description'].map((head) => ({
    head,
  }));
  const rows = mappings.map(({ id, decode, version, status, description }) => [
    html`<a class="id" href="${base}${workbenchPath}?${new URLSearchParams({ mapping: id }).toString()}"
      >${id}</a
    >`,
    decode.type,
    html`${version} ${badge(status === 'active' ? 'good' : 'plain', status)}`,
    String(activeVersions.get(id) ?? 'none'),
    description ?? '',
  ]);
  return html`<section class="card">${table('mappings', columns, rows)}</section>`;
}

/** The mappings of the retailer. */
export const portalMappings = (deps: Portal): Endpoint<'portalMappings'> =>
  portalPage(deps, {
    ...{ title: 'Mappings', place: '/portal/mappings' },
    form: () => headOf(deps.base),
    result: (_, who) => listOf(deps, who),
  });
