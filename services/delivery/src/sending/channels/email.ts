import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { domainToASCII } from 'node:url';
import { dueWorkParallelMax } from '@receipts/storage';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { sendTimeoutMs } from '../domain/schedule';
import { mailOf, type Mail } from '../../rendering/mail/mail';
import { ChannelFault, type ReceiptChannel } from './channel';

export interface Envelope {
  /** Also used as the file name and in the Message-ID, so that an e-mail sent twice can be recognized. */
  readonly id: string;
  readonly to: string;
  readonly from: string;
  readonly replyTo: string | null;
  /** The URL for unsubscribing. */
  readonly unsubscribe?: string | null;
}

export interface Mailer {
  /** Sends an e-mail, or throws. `isPermanent` tells whether retrying is pointless. */
  send(envelope: Envelope, mail: Mail): Promise<void>;
  /** Closes open connections. */
  close(): void;
}

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 };
const permanentFrom = 500;
/** nodemailer's codes for rejected addresses or content, as opposed to connection or login failures. */
const refusals: ReadonlySet<unknown> = new Set(['EENVELOPE', 'EMESSAGE']);

/** True if the mail server has permanently rejected the e-mail (RFC 5321: a 5xx reply to its addresses or content). */
export function isPermanent(error: unknown): boolean {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  return refusals.has(code) && typeof responseCode === 'number' && responseCode >= permanentFrom;
}

/** The content was sent to the mail server, but its final reply did not arrive. */
export class MailOutcomeUnknown extends Error {
  constructor(cause: unknown) {
    super('the mail server received the e-mail but did not reply', { cause });
    this.name = 'MailOutcomeUnknown';
  }
}

/** Sends receipts as e-mails. If there is no mailer, no mail server is configured and the channel is not available. */
export function emailChannel(mailer: Pick<Mailer, 'send'> | undefined, mailFrom: string): ReceiptChannel {
  return {
    isConnected: () => mailer !== undefined,
    async send({ id, to, view, page, unsubscribe, files, settings: { channels } }) {
      if (!mailer) throw new ChannelFault('not_delivered');
      const { from, reply_to: replyTo } = channels.email;
      try {
        await mailer.send(
          { id, to, from: from ?? mailFrom, replyTo, unsubscribe },
          mailOf(view, page, unsubscribe, files),
        );
      } catch (error) {
        if (error instanceof MailOutcomeUnknown) throw new ChannelFault('outcome_unknown');
        throw isPermanent(error) ? new ChannelFault('refused') : error;
      }
    },
  };
}

/** Mail servers distrust identifiers whose domain is not the sender's. */
const domainOf = (address: string) =>
  domainToASCII(address.slice(address.lastIndexOf('@') + 1)) || 'receipts.invalid';

function message(
  { id, to, from, replyTo, unsubscribe = null }: Envelope,
  { subject, text, html, attachments = [], from: name = '' }: Mail,
): SendMailOptions {
  return {
    // Addresses passed as objects are not parsed again, so they cannot contain a second address.
    to: { name: '', address: to },
    from: { name, address: from },
    ...(replyTo !== null && { replyTo: { name: '', address: replyTo } }),
    messageId: `<${id}@${domainOf(from)}>`,
    // RFC 3834: prevents automatic replies.
    headers: {
      'Auto-Submitted': 'auto-generated',
      // RFC 2369, and RFC 8058 for unsubscribing with one click.
      ...(unsubscribe !== null && {
        'List-Unsubscribe': `<${unsubscribe}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
    subject,
    text,
    html,
    attachments: attachments.map((one) => ({
      ...one,
      contentDisposition: one.cid === undefined ? 'attachment' : 'inline',
    })),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** The progress of one send. */
interface Progress {
  /** True once the server has asked for the content: from then on it may have accepted the e-mail. */
  isTextAsked: boolean;
}

/** @param deadline aborts a send that takes too long */
export function smtpMailer(url: string, deadline = () => AbortSignal.timeout(sendTimeoutMs)): Mailer {
  // Equal to the number of concurrent deliveries, so that none waits for a busy connection.
  const transport = createTransport({ url, pool: true, maxConnections: dueWorkParallelMax, ...timeouts });
  transport.use('stream', ({ message: composed, data }, done) => {
    const { progress } = data as { progress?: Progress };
    const createReadStream = composed.createReadStream.bind(composed);
    composed.createReadStream = (options) => {
      const text = createReadStream(options);
      const pipe = text.pipe.bind(text);
      // The content is piped to the server once it has accepted sender and recipient (RFC 5321, section 4.1.1.4).
      text.pipe = (...to) => {
        if (progress) progress.isTextAsked = true;
        return pipe(...to);
      };
      return text;
    };
    done();
  });
  return {
    async send(envelope, mail) {
      const progress: Progress = { isTextAsked: false };
      const bounded = { progress, signal: deadline() };
      try {
        await transport.sendMail({ ...message(envelope, mail), ...bounded });
      } catch (error) {
        const isAnswered = typeof (error as { responseCode?: unknown }).responseCode === 'number';
        throw progress.isTextAsked && !isAnswered ? new MailOutcomeUnknown(error) : error;
      }
    },
    close: () => transport.close(),
  };
}

/** For installations without a mail server: writes each e-mail to an `.eml` file, which mail programs can open. */
export function fileMailer(folder: string): Mailer {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  return {
    async send(envelope, mail) {
      const { message: bytes } = await transport.sendMail(message(envelope, mail));
      await mkdir(folder, { recursive: true });
      const file = path.join(folder, `${envelope.id}.eml`);
      // Renamed when complete, so that readers of the folder never see a partial e-mail.
      await writeFile(`${file}.part`, bytes as Buffer);
      await rename(`${file}.part`, file);
    },
    close: () => {},
  };
}

export interface MailSettings {
  readonly SMTP_URL: string | undefined;
  readonly MAIL_FILES: boolean;
  readonly DATA_DIR: string;
}

/**
 * Undefined if there is no mail server. The channel `email` is then unavailable, unless e-mails are written to files.
 */
export function configuredMailer({ SMTP_URL, MAIL_FILES, DATA_DIR }: MailSettings): Mailer | undefined {
  if (SMTP_URL !== undefined) return smtpMailer(SMTP_URL);
  return MAIL_FILES ? fileMailer(path.join(DATA_DIR, 'mail')) : undefined;
}
