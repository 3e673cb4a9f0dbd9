import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { mailOf, type Mail } from '../rendering/mail';
import { ChannelFault, type ReceiptChannel } from './channel';

export interface Envelope {
  /** Also the name of the file and part of the Message-ID, so that a mail sent twice can be recognised. */
  readonly id: string;
  readonly to: string;
  readonly from: string;
  readonly replyTo: string | null;
  /** Where whoever gets it can have no more of them. */
  readonly unsubscribe?: string | null;
}

export interface Mailer {
  /** Hands a mail over for good, or throws: `isPermanent` tells whether trying again makes sense. */
  send(envelope: Envelope, mail: Mail): Promise<void>;
  /** Closes connections that are kept open. */
  close(): void;
}

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 };
const connectionsMax = 4;
const permanentFrom = 500;
/** What nodemailer says when the addresses or the mail itself were refused, and not the connection or the login. */
const refusals: ReadonlySet<unknown> = new Set(['EENVELOPE', 'EMESSAGE']);

/** True when the mail server has refused the mail for good (RFC 5321: a reply of 5xx to its addresses or its text). */
export function isPermanent(error: unknown): boolean {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  return refusals.has(code) && typeof responseCode === 'number' && responseCode >= permanentFrom;
}

/** Receipts as mails. */
export function emailChannel(mailer: Pick<Mailer, 'send'>, mailFrom: string): ReceiptChannel {
  return {
    isConnected: () => true,
    async send({ id, to, view, page, unsubscribe, settings: { channels } }) {
      const { from, reply_to: replyTo } = channels.email;
      try {
        await mailer.send(
          { id, to, from: from ?? mailFrom, replyTo, unsubscribe },
          mailOf(view, page, unsubscribe),
        );
      } catch (error) {
        throw isPermanent(error) ? new ChannelFault('refused') : error;
      }
    },
  };
}

function message(
  { id, to, from, replyTo, unsubscribe = null }: Envelope,
  { subject, text, html }: Mail,
): SendMailOptions {
  return {
    // Objects, not text: an address is never parsed again, so it cannot smuggle in a second one.
    to: { name: '', address: to },
    from: { name: '', address: from },
    ...(replyTo !== null && { replyTo: { name: '', address: replyTo } }),
    messageId: `<${id}@receipts>`,
    // RFC 3834: nobody's holiday notice shall answer it.
    headers: {
      'Auto-Submitted': 'auto-generated',
      // RFC 2369, and RFC 8058 for the one click.
      ...(unsubscribe !== null && {
        'List-Unsubscribe': `<${unsubscribe}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
    subject,
    text,
    html,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

export function smtpMailer(url: string): Mailer {
  const transport = createTransport({ url, pool: true, maxConnections: connectionsMax, ...timeouts });
  return {
    async send(envelope, mail) {
      await transport.sendMail(message(envelope, mail));
    },
    close: () => transport.close(),
  };
}

/** For set-ups without a mail server: each mail becomes an `.eml` file that any mail program opens. */
export function fileMailer(folder: string): Mailer {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  return {
    async send(envelope, mail) {
      const { message: bytes } = await transport.sendMail(message(envelope, mail));
      await mkdir(folder, { recursive: true });
      const file = path.join(folder, `${envelope.id}.eml`);
      // Renamed when it is whole: whoever watches the folder never reads half a mail.
      await writeFile(`${file}.part`, bytes as Buffer);
      await rename(`${file}.part`, file);
    },
    close: () => {},
  };
}
