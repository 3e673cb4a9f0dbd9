import type { ServiceError } from '@receipts/kernel';
import { messageKey, type Language, type MessageKey } from '../pages/language';

/** The labels of the fields of forms, by the name that the API uses. */
const labels: Readonly<Record<string, MessageKey>> = {
  url: 'webhook.url',
  description: 'description',
  event_types: 'webhooks.events',
  filter: 'webhook.filter',
  payload: 'webhook.content',
  ordering: 'webhook.order',
  since: 'webhook.since',
  permissions: 'clients.permissions',
  email: 'email',
  group: 'users.group',
  name: 'brand.name',
  logo: 'brand.logo',
  colour: 'brand.colour',
  header: 'brand.header',
  footer: 'brand.footer',
  links: 'brand.links',
  translations: 'brand.translations',
};

/** The label of a field, with the number of its value if it has several. */
function labelOf(path: string, { t }: Language): string {
  const [name = '', index] = path.slice(1).split('/');
  const label = labels[name];
  const text = label ? t(label) : name.replaceAll('_', ' ');
  return index !== undefined && /^\d+$/.test(index) ? `${text} ${Number(index) + 1}` : text;
}

/** The text of an error for users of the portal. */
export function faultText({ code, errors = [], description }: ServiceError, language: Language): string {
  const { t, api } = language;
  if (errors.length > 0) {
    return errors.map(({ path, message }) => `${labelOf(path, language)}: ${api(message)}`).join('; ');
  }
  const key = messageKey(`fault.${code}`);
  return key ? t(key) : api(description);
}
