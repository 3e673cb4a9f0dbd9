import { portalLanguages, type PortalLanguage } from '@receipts/contracts';

/** The language of e-mails to staff for a locale such as `de_AT`; English if it is none of the portal's. */
export function mailLanguage(locale: string): PortalLanguage {
  const [code] = locale.split(/[-_]/);
  return portalLanguages.find((language) => language === code) ?? 'en';
}
