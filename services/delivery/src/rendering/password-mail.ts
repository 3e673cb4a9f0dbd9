import { escapeHtml } from '@receipts/contracts';
import type { Mail } from './mail';

export interface PasswordReset {
  readonly link: string;
  readonly expires: string;
  readonly retailer: { readonly name: string };
  readonly is_invitation: boolean;
}

/** The e-mail with the link for setting the password of a portal user. */
export function passwordMailOf(reset: PasswordReset): Mail {
  const { link, retailer, is_invitation: isInvitation } = reset;
  const name = retailer.name.replace(/\s+/g, ' ');
  const until = `${reset.expires.slice(0, 16).replace('T', ' ')} UTC`;
  const subject = isInvitation
    ? `${name}: your access to the receipt portal`
    : `${name}: a new password for the receipt portal`;
  const opening = isInvitation
    ? `You have been given access to the receipt portal of ${name}. Choose a password to sign in:`
    : `Someone requested a new password for your access to the receipt portal of ${name}. Choose one here:`;
  const ending = isInvitation
    ? `The link works once, until ${until}.`
    : `The link works once, until ${until}. If this was not you, you can ignore this e-mail: your password will not change.`;
  const href = escapeHtml(link);
  return {
    subject,
    text: `${opening}\n\n${link}\n\n${ending}\n`,
    html:
      `<!doctype html><html lang="en"><body><p>${escapeHtml(opening)}</p>` +
      `<p><a href="${href}">${href}</a></p><p>${escapeHtml(ending)}</p></body></html>`,
  };
}
