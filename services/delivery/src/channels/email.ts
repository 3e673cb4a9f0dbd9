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
/** From the beginning to the mail server's last word, however slowly it speaks. Claims of attempts last twice as long. */
const sendTimeoutMs = 60_000;
const connectionsMax = 4;
const permanentFrom = 500;
/** What nodemailer says when the addresses or the mail itself were refused, and not the connection or the login. */
const refusals: ReadonlySet<unknown> = new Set(['EENVELOPE', 'EMESSAGE']);

/** True when the mail server has refused the mail for good (RFC 5321: a reply of 5xx to its addresses or its text). */
export function isPermanent(error: unknown): boolean {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  return refusals.has(code) && typeof responseCode === 'number' && responseCode >= permanentFrom;
}

/** The mail server was given the text of a mail, and has not said what became of it. */
export class MailOutcomeUnknown extends Error {
  constructor(cause: unknown) {
    super('the mail server has taken the text and said nothing', { cause });
    this.name = 'MailOutcomeUnknown';
  }
}

/** Receipts as mails. Without a mailer the installation has no mail server, and the channel is not available. */
export function emailChannel(mailer: Pick<Mailer, 'send'> | undefined, mailFrom: string): ReceiptChannel {
  return {
    isConnected: () => mailer !== undefined,
    async send({ id, to, view, page, unsubscribe, settings: { channels } }) {
      if (!mailer) throw new ChannelFault('not_delivered');
      const { from, reply_to: replyTo } = channels.email;
      try {
        await mailer.send(
          { id, to, from: from ?? mailFrom, replyTo, unsubscribe },
          mailOf(view, page, unsubscribe),
        );
      } catch (error) {
        if (error instanceof MailOutcomeUnknown) throw new ChannelFault('outcome_unknown');
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

/** What one send has come to. */
interface Progress {
  /** The server has asked for the text: from now on it may have the mail, whether it says so or not. */
  isTextAsked: boolean;
}

/** @param deadline ends a send that has not ended by itself */
export function smtpMailer(url: string, deadline = () => AbortSignal.timeout(sendTimeoutMs)): Mailer {
  const transport = createTransport({ url, pool: true, maxConnections: connectionsMax, ...timeouts });
  transport.use('stream', ({ message: composed, data }, done) => {
    const { progress } = data as { progress?: Progress };
    const createReadStream = composed.createReadStream.bind(composed);
    composed.createReadStream = (options) => {
      const text = createReadStream(options);
      const pipe = text.pipe.bind(text);
      // The text is piped to the server once it has agreed to sender and recipient (RFC 5321, section 4.1.1.4).
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
