import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { segment } from './api';
import {
  named,
  needed,
  option,
  UsageError,
  type Arguments,
  type Command,
  type Outcome,
  type Row,
} from './command';
import { reindex } from './reindex';
import { table } from './table';

const shown = (body: unknown): Outcome => ({ json: body, text: JSON.stringify(body, null, 2) });

function jsonOption(args: Arguments, name: string): unknown {
  const text = option(args, name);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`--${name} is not valid JSON`);
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
 * Converts `name=Demo stores.from_receipt=true` to a merge patch of a retailer. Names that are not its own fields are
 * settings.
 */
export function mergePatchOf(assignments: readonly string[]): Record<string, unknown> {
  const patch: Record<string, unknown> = {};
  for (const assignment of assignments) {
    const at = assignment.indexOf('=');
    if (at < 1) throw new UsageError(`${assignment} is not of the form setting=value`);
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

function selection(args: Arguments): Record<string, unknown> {
  const queue = named(args, 0, 'the queue');
  const ids = args.positionals.slice(1);
  const all = args.values['all'] === true;
  if (all === ids.length > 0) throw new UsageError('name the messages, or say --all');
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

const pendingOf = ({ outbox }: Row) => (outbox as { pending?: unknown } | undefined)?.pending;

/** All commands, by name. */
export const commands: Readonly<Record<string, Command>> = {
  async 'retailer create'(api, args) {
    const settings = jsonOption(args, 'settings');
    const body = {
      id: named(args, 0, 'the id of the retailer'),
      name: needed(args, 'name'),
      ...(option(args, 'vatno') !== undefined && { vatno: option(args, 'vatno') }),
      ...(settings !== undefined && { settings }),
    };
    return shown((await api.call('/operator/retailers', { method: 'POST', body })).body);
  },
  async 'retailer list'(api) {
    const retailers = await api.all<Row>('/operator/retailers', 'retailers');
    return { json: { retailers }, text: table(retailers, retailerColumns) };
  },
  async 'retailer show'(api, args) {
    const id = named(args, 0, 'the id of the retailer');
    return shown((await api.call(`/operator/retailers/${segment(id)}`)).body);
  },
  async 'retailer set'(api, args) {
    const id = named(args, 0, 'the id of the retailer');
    if (args.positionals.length < 2)
      throw new UsageError('name a setting and its value: timezone=Europe/Paris');
    const body = mergePatchOf(args.positionals.slice(1));
    return shown((await api.call(`/operator/retailers/${segment(id)}`, { method: 'PATCH', body })).body);
  },
  async 'client create'(api, args) {
    const id = named(args, 0, 'the id of the retailer');
    const authentication = named(args, 1, 'bearer or hmac');
    const permissions = (option(args, 'permissions') ?? 'view.*').split(',');
    const body = { description: needed(args, 'description'), permissions };
    const target = `/operator/retailers/${segment(id)}/clients/${segment(authentication)}`;
    return shown((await api.call(target, { method: 'POST', body })).body);
  },
  async 'subscription create'(api, args) {
    const id = named(args, 0, 'the id of the retailer');
    const types = args.positionals.slice(2);
    const body = { name: named(args, 1, 'the name of the subscription'), ...(types.length > 0 && { types }) };
    const target = `/operator/retailers/${segment(id)}/subscriptions`;
    return shown((await api.call(target, { method: 'POST', body })).body);
  },
  async 'subscription list'(api, args) {
    const id = named(args, 0, 'the id of the retailer');
    const target = `/operator/retailers/${segment(id)}/subscriptions`;
    const { subscriptions } = (await api.call(target)).body as { subscriptions: Row[] };
    const text = subscriptions.length === 0 ? 'There are none.' : table(subscriptions, subscriptionColumns);
    return { json: { subscriptions }, text };
  },
  async 'subscription delete'(api, args) {
    const id = named(args, 0, 'the id of the retailer');
    const name = named(args, 1, 'the name of the subscription');
    const target = `/operator/retailers/${segment(id)}/subscriptions/${segment(name)}`;
    await api.call(target, { method: 'DELETE' });
    return { json: { name, deleted: true }, text: `${name} was deleted` };
  },
  async 'cards import'(api, args) {
    const id = named(args, 0, 'the id of the retailer');
    const file = named(args, 1, 'the file with the cards');
    const contentType = cardTypes[path.extname(file).toLowerCase()];
    if (contentType === undefined) throw new UsageError('the file must end in .json or .csv');
    const bytes = await readFile(file).catch(() => {
      throw new UsageError(`${file} cannot be read`);
    });
    const target = `/operator/retailers/${segment(id)}/cards`;
    return shown((await api.call(target, { method: 'PUT', bytes, contentType })).body);
  },
  async 'portal-user create'(api, args) {
    const id = named(args, 0, 'the id of the retailer');
    const email = named(args, 1, 'the e-mail address');
    const body = {
      group: option(args, 'group') ?? '',
      status: args.values['inactive'] === true ? 'inactive' : 'active',
      send_password_reset_on_create: args.values['no-mail'] !== true,
    };
    const target = `/operator/retailers/${segment(id)}/portal/user/${segment(email)}`;
    const { status } = await api.call(target, { method: 'PUT', body });
    const created = status === 201;
    return { json: { email, created }, text: `${email} was ${created ? 'created' : 'updated'}` };
  },
  async status(api) {
    const { body } = (await api.call('/operator/status')) as {
      body: { services: Row[]; queues: Row[] };
    };
    const services = body.services.map((service) => ({ ...service, outbox: pendingOf(service) }));
    const busy = body.queues.filter(
      ({ messages, dead_letters: deadLetters }) => Number(messages) + Number(deadLetters) > 0,
    );
    const queues =
      busy.length === 0
        ? 'All queues are empty.'
        : table(busy, ['queue', 'messages', 'waiting_seconds', 'consumers', 'dead_letters']);
    return { json: body, text: `${table(services, serviceColumns)}\n\n${queues}` };
  },
  async 'catch-up'(api, args) {
    const named = args.positionals.length > 0 ? args.positionals : catchingUp;
    const unknown = named.find((service) => !catchingUp.includes(service));
    if (unknown !== undefined) throw new UsageError(`${unknown} has nothing to catch up with`);
    for (const service of named) {
      const body = service === 'identifier' && args.values['from-start'] === true ? { from_start: true } : {};
      await api.call(`/operator/services/${service}/_catch_up`, { method: 'POST', body });
    }
    return { json: { services: named }, text: `Catching up in the background: ${named.join(', ')}` };
  },
  reindex,
  async audit(api, args) {
    const retailer = option(args, 'retailer');
    const query = retailer === undefined ? '' : `?retailer=${encodeURIComponent(retailer)}`;
    const actions = await api.all<Row>(`/operator/audit${query}`, 'actions');
    const text = actions.length === 0 ? 'Nothing was done yet.' : table(actions, actionColumns);
    return { json: { actions }, text };
  },
  async 'dead-letters list'(api, args) {
    const [queue] = args.positionals;
    const query = queue === undefined ? '' : `?queue=${encodeURIComponent(queue)}`;
    const messages = await api.all<Row>(`/operator/messages/dead-letters${query}`, 'messages');
    const text = messages.length === 0 ? 'No dead letters.' : table(messages, deadLetterColumns);
    return { json: { messages }, text };
  },
  async 'dead-letters show'(api, args) {
    const queue = encodeURIComponent(named(args, 0, 'the queue'));
    const id = segment(named(args, 1, 'the id of the message'));
    return shown((await api.call(`/operator/messages/dead-letters/${id}?queue=${queue}`)).body);
  },
  async 'dead-letters replay'(api, args) {
    const body = selection(args);
    return shown((await api.call('/operator/messages/dead-letters/_replay', { method: 'POST', body })).body);
  },
  async 'dead-letters discard'(api, args) {
    const body = selection(args);
    return shown((await api.call('/operator/messages/dead-letters/_discard', { method: 'POST', body })).body);
  },
};
