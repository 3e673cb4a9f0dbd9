import type { PortalLanguage } from '@receipts/contracts';
import { html, type Html } from '@receipts/html';
import type { Mail } from './mail';

export const portalLocales = {
  en: 'en-GB',
  fr: 'fr-FR',
  de: 'de-DE',
  es: 'es-ES',
  it: 'it-IT',
} as const satisfies Record<PortalLanguage, string>;

/** The name of a retailer on a single line, as in a subject. */
export const onOneLine = (name: string) => name.replace(/\s+/g, ' ').trim();

export function mailButton(href: string, label: string): Html {
  const style =
    'display:inline-block;padding:12px 24px;border-radius:12px;background:#1d2433;color:#fff;text-decoration:none;font-weight:bold';
  return html`<a href="${href}" style="${style}">${label}</a>`;
}

interface PortalMail {
  readonly language: PortalLanguage;
  readonly subject: string;
  readonly title: string;
  readonly content: Html;
  readonly text: string;
}

/** An e-mail to a retailer's staff. It loads nothing. */
export function portalMail({ language, subject, title, content, text }: PortalMail): Mail {
  return {
    subject,
    text,
    html: html`<!doctype html>
      <html lang="${language}">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width,initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <title>${title}</title>
        </head>
        <body
          style="margin:24px auto;max-width:600px;padding:0 16px;font:16px/1.5 Arial,Helvetica,sans-serif"
        >
          <h1 style="font-size:20px">${title}</h1>
          ${content}
        </body>
      </html>`.text,
  };
}
