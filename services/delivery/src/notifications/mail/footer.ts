import type { PortalLanguage } from '@receipts/contracts';
import { html, type Html } from '@receipts/html';
import { notificationTexts } from './texts';

/** Where the links of an e-mail to a manager lead. */
export interface MailLinks {
  /** The public URL of the platform, without a trailing slash. */
  readonly publicUrl: string;
  readonly unsubscribe: string;
}

const chooseLink = ({ publicUrl }: MailLinks) => `${publicUrl}/portal/notifications`;

export function footerHtml(language: PortalLanguage, links: MailLinks): Html {
  const { why, choose, stop } = notificationTexts[language];
  return html`<p style="font-size:13px;opacity:.8;margin-top:32px">
    ${why} <a href="${chooseLink(links)}" style="color:inherit">${choose}</a> ·
    <a href="${links.unsubscribe}" style="color:inherit">${stop}</a>
  </p>`;
}

export function footerText(language: PortalLanguage, links: MailLinks): string {
  const { why, choose, stop } = notificationTexts[language];
  return `${why}\n${choose}: ${chooseLink(links)}\n${stop}: ${links.unsubscribe}\n`;
}
