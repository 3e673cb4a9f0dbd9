/** The languages of the portal and of its e-mails. */
export const portalLanguages = ['en', 'fr', 'de', 'es', 'it'] as const;
export type PortalLanguage = (typeof portalLanguages)[number];
