import type { ServiceError } from '@receipts/kernel';
import { messageKey, type Language } from '../pages/language';

/**
 * The text of an error for users of the portal. Errors that only developers read, such as those in a query or a
 * mapping, have the English text of the API.
 */
export function faultText({ code, errors = [], description }: ServiceError, { t }: Language): string {
  if (errors.length > 0) {
    return errors
      .map(({ path, message }) => `${path.slice(1).replaceAll('_', ' ').replaceAll('/', ' ')}: ${message}`)
      .join('; ');
  }
  const key = messageKey(`fault.${code}`);
  return key ? t(key) : description;
}
