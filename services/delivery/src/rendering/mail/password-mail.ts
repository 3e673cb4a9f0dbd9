import type { PortalLanguage } from '@receipts/contracts';
import { html } from '@receipts/html';
import type { Mail } from './mail';
import { mailButton, onOneLine, portalLocales, portalMail } from './portal-mail';

export interface PasswordReset {
  readonly link: string;
  readonly expires: string;
  readonly language: PortalLanguage;
  readonly retailer: { readonly name: string };
  readonly is_invitation: boolean;
}

interface Texts {
  readonly invitationSubject: string;
  readonly invitation: string;
  readonly resetSubject: string;
  readonly reset: string;
  readonly button: string;
  readonly expiry: string;
  readonly ignore: string;
}

const texts: Readonly<Record<PortalLanguage, Texts>> = {
  en: {
    invitationSubject: '{name}: your access to the receipt portal',
    invitation: 'You have been given access to the receipt portal of {name}. Choose a password to sign in:',
    resetSubject: '{name}: a new password for the receipt portal',
    reset:
      'Someone requested a new password for your access to the receipt portal of {name}. Choose one here:',
    button: 'Choose a password',
    expiry: 'The link works once, until {until}.',
    ignore: 'If this was not you, you can ignore this e-mail: your password will not change.',
  },
  fr: {
    invitationSubject: '{name} : votre accès au portail des tickets',
    invitation:
      'Vous avez reçu un accès au portail des tickets de {name}. Choisissez un mot de passe pour vous connecter :',
    resetSubject: '{name} : un nouveau mot de passe pour le portail des tickets',
    reset:
      'Un nouveau mot de passe a été demandé pour votre accès au portail des tickets de {name}. Choisissez-le ici :',
    button: 'Choisir un mot de passe',
    expiry: 'Le lien fonctionne une seule fois, jusqu’au {until}.',
    ignore: 'Si vous n’avez rien demandé, vous pouvez ignorer cet e-mail : votre mot de passe ne change pas.',
  },
  de: {
    invitationSubject: '{name}: Ihr Zugang zum Bon-Portal',
    invitation:
      'Sie haben Zugang zum Bon-Portal von {name} erhalten. Wählen Sie ein Passwort, um sich anzumelden:',
    resetSubject: '{name}: ein neues Passwort für das Bon-Portal',
    reset:
      'Für Ihren Zugang zum Bon-Portal von {name} wurde ein neues Passwort angefordert. Wählen Sie es hier:',
    button: 'Passwort wählen',
    expiry: 'Der Link funktioniert einmal, bis {until}.',
    ignore: 'Wenn Sie das nicht waren, können Sie diese E-Mail ignorieren: Ihr Passwort ändert sich nicht.',
  },
  es: {
    invitationSubject: '{name}: su acceso al portal de recibos',
    invitation: 'Tiene acceso al portal de recibos de {name}. Elija una contraseña para iniciar sesión:',
    resetSubject: '{name}: una contraseña nueva para el portal de recibos',
    reset:
      'Se ha solicitado una contraseña nueva para su acceso al portal de recibos de {name}. Elíjala aquí:',
    button: 'Elegir una contraseña',
    expiry: 'El enlace funciona una sola vez, hasta el {until}.',
    ignore: 'Si no ha sido usted, puede ignorar este correo: su contraseña no cambia.',
  },
  it: {
    invitationSubject: '{name}: il suo accesso al portale degli scontrini',
    invitation:
      'Ha ricevuto l’accesso al portale degli scontrini di {name}. Scelga una password per accedere:',
    resetSubject: '{name}: una nuova password per il portale degli scontrini',
    reset:
      'È stata richiesta una nuova password per il suo accesso al portale degli scontrini di {name}. La scelga qui:',
    button: 'Scegliere una password',
    expiry: 'Il link funziona una sola volta, fino al {until}.',
    ignore: 'Se non è stato lei, può ignorare questa e-mail: la sua password non cambia.',
  },
};

/** The e-mail with the link for setting the password of a portal user, in the user's language. */
export function passwordMailOf(reset: PasswordReset): Mail {
  const { link, language, retailer, is_invitation: isInvitation } = reset;
  const format = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const;
  const until = `${new Intl.DateTimeFormat(portalLocales[language], format).format(new Date(reset.expires))} UTC`;
  const name = onOneLine(retailer.name);
  const of = (key: keyof Texts) =>
    texts[language][key].replace('{name}', () => name).replace('{until}', () => until);
  const opening = of(isInvitation ? 'invitation' : 'reset');
  const ending = isInvitation ? of('expiry') : `${of('expiry')} ${of('ignore')}`;
  return portalMail({
    language,
    title: name,
    subject: of(isInvitation ? 'invitationSubject' : 'resetSubject'),
    text: `${opening}\n\n${link}\n\n${ending}\n`,
    content: html`<p>${opening}</p>
      <p>${mailButton(link, of('button'))}</p>
      <p style="overflow-wrap:anywhere"><a href="${link}">${link}</a></p>
      <p>${ending}</p>`,
  });
}
