import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { dataOf, type paths } from '@receipts/client';
import { allPages } from './api';
import {
  named,
  needed,
  option,
  UsageError,
  type Arguments,
  type Command,
  type CommandResult,
} from './command';
import { allRetailers, reindex } from './reindex';
import { table } from './table';

const shown = (body: unknown): CommandResult => ({ json: body, text: JSON.stringify(body, null, 2) });

function settingsOption(args: Arguments): Settings | undefined {
  const text = option(args, 'settings');
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Settings;
  } catch {
    throw new UsageError('--settings is not valid JSON');
  }
}

/** `true`, `12`, `null` and `["a"]` are parsed as JSON; anything else is a string. */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const ownFields: ReadonlySet<string> = new Set(['name', 'vatno']);

/**
 * Converts `name=Demo stores.from_receipt=true` to a merge patch of a retailer. Names that are not fields of the
 * retailer are settings.
 */
export function mergePatchOf(assignments: readonly string[]): Record<string, unknown> {
  const patch: Record<string, unknown> = {};
  for (const assignment of assignments) {
    const at = assignment.indexOf('=');
    if (at < 1) throw new UsageError(`${assignment} must have the form setting=value`);
    const names = assignment.slice(0, at).split('.');
    const steps = names.length === 1 && ownFields.has(names[0] ?? '') ? names : ['settings', ...names];
    const last = steps.pop() ?? '';
    let target = patch;
    for (const step of steps) {
      const inner = Object.hasOwn(target, step) ? target[step] : {};
      target = target[step] = (typeof inner === 'object' && inner !== null ? inner : {}) as typeof patch;
    }
    target[last] = valueOf(assignment.slice(at + 1));
  }
  return patch;
}

type PostedRetailer = paths['/operator/retailers']['post']['requestBody']['content']['application/json'];
type Permissions =
  paths['/operator/retailers/{id}/clients/{authentication}']['post']['requestBody']['content']['application/json']['permissions'];
type Settings = NonNullable<PostedRetailer['settings']>;
type Selection = { queue: string; all?: true; ids?: string[] };

function selection(args: Arguments): Selection {
  const queue = named(args, 0, 'the queue');
  const ids = args.positionals.slice(1);
  const all = args.values['all'] === true;
  if (all === ids.length > 0) throw new UsageError('give message ids, or --all');
  return all ? { queue, all } : { queue, ids };
}

const cardTypes: Readonly<Record<string, string>> = { '.json': 'application/json', '.csv': 'text/csv' };

/** Services with data derived from events. */
const catchingUp: readonly string[] = ['identifier', 'delivery'];
const retailerColumns = ['id', 'name', 'vatno'];
const subscriptionColumns = ['name', 'status', 'queue', 'user', 'routing_keys'];
const actionColumns = ['timestamp', 'operator', 'address', 'operation', 'path', 'fields', 'status'];
const deadLetterColumns = ['queue', 'id', 'type', 'retailer', 'attempts', 'last_failed_timestamp', 'reason'];
const serviceColumns = ['service', 'ready', 'instances', 'versions', 'waiting', 'waiting_seconds', 'outbox'];

const retailerAt = (args: Arguments) => ({ path: { id: named(args, 0, 'the id of the retailer') } });

/** All commands, by name. */
export const commands: Readonly<Record<string, Command>> = {
  async 'retailer create'(api, args) {
    const settings = settingsOption(args);
    const vatno = option(args, 'vatno');
    const body = {
      id: named(args, 0, 'the id of the retailer'),
      name: needed(args, 'name'),
      ...(vatno !== undefined && { vatno }),
      ...(settings !== undefined && { settings }),
    };
    return shown(await dataOf(api.POST('/operator/retailers', { body })));
  },
  async 'retailer list'(api) {
    const retailers = await allRetailers(api);
    return { json: { retailers }, text: table(retailers, retailerColumns) };
  },
  async 'retailer show'(api, args) {
    return shown(await dataOf(api.GET('/operator/retailers/{id}', { params: retailerAt(args) })));
  },
  async 'retailer set'(api, args) {
    const params = retailerAt(args);
    if (args.positionals.length < 2)
      throw new UsageError('give a setting and its value: timezone=Europe/Paris');
    const body = mergePatchOf(args.positionals.slice(1));
    const query: object = args.values['force'] === true ? { force: true } : {};
    return shown(await dataOf(api.PATCH('/operator/retailers/{id}', { params: { ...params, query }, body })));
  },
  async 'client create'(api, args) {
    const { id } = retailerAt(args).path;
    // The API rejects unknown values.
    const authentication = named(args, 1, 'bearer or hmac') as 'bearer' | 'hmac';
    const permissions = (option(args, 'permissions') ?? 'view.*').split(',') as Permissions;
    const body = { description: needed(args, 'description'), permissions };
    const params = { path: { id, authentication } };
    const target = '/operator/retailers/{id}/clients/{authentication}';
    return shown(await dataOf(api.POST(target, { params, body })));
  },
  async 'subscription create'(api, args) {
    const params = retailerAt(args);
    const types = args.positionals.slice(2);
    const body = { name: named(args, 1, 'the name of the subscription'), ...(types.length > 0 && { types }) };
    return shown(await dataOf(api.POST('/operator/retailers/{id}/subscriptions', { params, body })));
  },
  async 'subscription list'(api, args) {
    const params = retailerAt(args);
    const { subscriptions } = await dataOf(api.GET('/operator/retailers/{id}/subscriptions', { params }));
    const text = subscriptions.length === 0 ? 'No entries.' : table(subscriptions, subscriptionColumns);
    return { json: { subscriptions }, text };
  },
  async 'subscription delete'(api, args) {
    const { id } = retailerAt(args).path;
    const name = named(args, 1, 'the name of the subscription');
    const params = { path: { id, name } };
    await dataOf(api.DELETE('/operator/retailers/{id}/subscriptions/{name}', { params }));
    return { json: { name, deleted: true }, text: `${name} was deleted` };
  },
  async 'cards import'(api, args) {
    const params = retailerAt(args);
    const file = named(args, 1, 'the file with the cards');
    const contentType = cardTypes[path.extname(file).toLowerCase()];
    if (contentType === undefined) throw new UsageError('the file must end in .json or .csv');
    const body = await readFile(file, 'utf8').catch(() => {
      throw new UsageError(`${file} cannot be read`);
    });
    const options = { params, body, bodySerializer: String, headers: { 'Content-Type': contentType } };
    return shown(await dataOf(api.PUT('/operator/retailers/{id}/cards', options)));
  },
  async 'portal-user create'(api, args) {
    const { id } = retailerAt(args).path;
    const email = named(args, 1, 'the e-mail address');
    const body = {
      group: option(args, 'group') ?? '',
      status: args.values['inactive'] === true ? ('inactive' as const) : ('active' as const),
      send_password_reset_on_create: args.values['no-mail'] !== true,
    };
    const params = { path: { id, email } };
    const result = api.PUT('/operator/retailers/{id}/portal/user/{email}', { params, body });
    await dataOf(result);
    const created = (await result).response.status === 201;
    return { json: { email, created }, text: `${email} was ${created ? 'created' : 'updated'}` };
  },
  async status(api) {
    const body = await dataOf(api.GET('/operator/status'));
    const services = body.services.map((service) => ({ ...service, outbox: service.outbox?.pending }));
    const busy = body.queues.filter(({ messages, dead_letters: deadLetters }) => messages + deadLetters > 0);
    const queues =
      busy.length === 0
        ? 'All queues are empty.'
        : table(busy, ['queue', 'messages', 'waiting_seconds', 'consumers', 'dead_letters']);
    const incomplete = body.incomplete_queues ?? [];
    const missing =
      incomplete.length === 0
        ? []
        : [
            'These queues miss members (rabbitmq-queues grow <node> all):',
            table(incomplete, ['queue', 'members', 'expected']),
          ];
    return { json: body, text: [table(services, serviceColumns), queues, ...missing].join('\n\n') };
  },
  async 'catch-up'(api, args) {
    const services = args.positionals.length > 0 ? args.positionals : catchingUp;
    const unknown = services.find((service) => !catchingUp.includes(service));
    if (unknown !== undefined) throw new UsageError(`${unknown} cannot catch up`);
    const fromStart = args.values['from-start'] === true ? { from_start: true } : {};
    if (services.includes('identifier'))
      await dataOf(api.POST('/operator/services/identifier/_catch_up', { body: fromStart }));
    if (services.includes('delivery'))
      await dataOf(api.POST('/operator/services/delivery/_catch_up', { body: {} }));
    return { json: { services }, text: `Catching up in the background: ${services.join(', ')}` };
  },
  reindex,
  async 'keys rotate'(api) {
    const body = await dataOf(api.POST('/operator/services/delivery/_rotate_keys', {}));
    return { json: body, text: `New proofs are signed with ${body.kid}` };
  },
  async audit(api, args) {
    const retailer = option(args, 'retailer');
    const pages = await allPages(retailer === undefined ? {} : { retailer }, (query) =>
      dataOf(api.GET('/operator/audit', { params: { query } })),
    );
    const actions = pages.flatMap((page) => page.actions);
    const text = actions.length === 0 ? 'There are no actions yet.' : table(actions, actionColumns);
    return { json: { actions }, text };
  },
  async 'dead-letters list'(api, args) {
    const [queue] = args.positionals;
    const pages = await allPages(queue === undefined ? {} : { queue }, (query) =>
      dataOf(api.GET('/operator/messages/dead-letters', { params: { query } })),
    );
    const messages = pages.flatMap((page) => page.messages);
    const text = messages.length === 0 ? 'No dead letters.' : table(messages, deadLetterColumns);
    return { json: { messages }, text };
  },
  async 'dead-letters show'(api, args) {
    const query = { queue: named(args, 0, 'the queue') };
    const params = { query, path: { id: named(args, 1, 'the id of the message') } };
    return shown(await dataOf(api.GET('/operator/messages/dead-letters/{id}', { params })));
  },
  async 'dead-letters replay'(api, args) {
    const body = selection(args);
    return shown(await dataOf(api.POST('/operator/messages/dead-letters/_replay', { body })));
  },
  async 'dead-letters discard'(api, args) {
    const body = selection(args);
    return shown(await dataOf(api.POST('/operator/messages/dead-letters/_discard', { body })));
  },
};
