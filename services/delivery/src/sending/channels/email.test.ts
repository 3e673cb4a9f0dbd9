import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { defaultRetailerSettings } from '@receipts/contracts';
import { readConfig } from '../../config';
import { claimMs } from '../domain/schedule';
import {
  configuredMailer,
  emailChannel,
  fileMailer,
  isPermanent,
  MailOutcomeUnknown,
  smtpMailer,
} from './email';

const envelope = { id: 'd1', to: 'jané@example.com', from: 'shop@example.com', replyTo: 'help@example.com' };
const mail = { subject: 'Café: €12.40', text: 'text', html: '<p>html</p>' };

describe('files', () => {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'mail-'));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  it('writes each e-mail as one .eml file, completely or not at all', async () => {
    const folder = path.join(dir, 'deep/mail');
    const mailer = fileMailer(folder);
    await mailer.send(envelope, mail);
    await mailer.send({ ...envelope, replyTo: null }, mail);
    await mailer.send({ ...envelope, id: 'd0' }, { ...mail, from: 'Maison "L", <x@y.example>' });
    expect(readdirSync(folder).toSorted()).toEqual(['d0.eml', 'd1.eml']);
    const named = readFileSync(path.join(folder, 'd0.eml'), 'utf8');
    expect(named).toMatch(/^From: "Maison .*" <shop@example.com>\r\n/m);
    const eml = readFileSync(path.join(folder, 'd1.eml'), 'utf8');
    expect(eml).toMatch(/^From: shop@example.com\r\nTo: \S+@example.com\r\n/m);
    expect(eml).toContain('Message-ID: <d1@example.com>\r\n');
    expect(eml).toContain('Auto-Submitted: auto-generated\r\n');
    expect(eml).toMatch(/^Subject: =\?UTF-8\?/m);
    expect(eml).not.toContain('Reply-To');
    mailer.close();
  });

  it('has a one-click unsubscribe header', async () => {
    const mailer = fileMailer(dir);
    await mailer.send({ ...envelope, id: 'd2', unsubscribe: 'https://receipts.example/u/abc' }, mail);
    const eml = readFileSync(path.join(dir, 'd2.eml'), 'utf8');
    expect(eml).toContain('List-Unsubscribe: <https://receipts.example/u/abc>\r\n');
    expect(eml).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n');
    expect(readFileSync(path.join(dir, 'deep/mail/d1.eml'), 'utf8')).not.toContain('List-Unsubscribe');
  });
});

/** A mail server that replies with the first matching line, and records the data that it receives. */
async function mailServer(answers: Record<string, string>) {
  const published: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let inData = false;
    socket.write('220 test\r\n');
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      for (const line of bytes.toString().split('\r\n').filter(Boolean)) {
        published.push(line);
        if (inData) {
          if (line !== '.') continue;
          inData = false;
          socket.write(`${answers['.'] ?? '250 taken'}\r\n`);
          continue;
        }
        const verb = line.slice(0, 4).toUpperCase();
        inData = verb === 'DATA';
        socket.write(`${answers[verb] ?? (inData ? '354 go on' : '250 fine')}\r\n`);
      }
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as { port: number };
  return {
    url: `smtp://127.0.0.1:${port}`,
    published,
    stop: () =>
      new Promise<void>((stopped) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => stopped());
      }),
  };
}

describe('SMTP', () => {
  it('delivers an e-mail', async () => {
    const server = await mailServer({});
    const mailer = smtpMailer(server.url);
    await mailer.send({ ...envelope, to: 'jane@example.com' }, mail);
    expect(server.published).toContain('RCPT TO:<jane@example.com>');
    expect(server.published).toContain('MAIL FROM:<shop@example.com>');
    expect(server.published).toContain('Reply-To: help@example.com');
    mailer.close();
    await server.stop();
  });

  it.each<[string, Record<string, string>, boolean]>([
    ['a permanently rejected address', { RCPT: '550 no such user' }, true],
    ['a temporarily rejected address', { RCPT: '450 busy' }, false],
    ['a permanently rejected e-mail', { '.': '554 spam' }, true],
    ['a temporarily rejected e-mail', { '.': '451 try again' }, false],
  ])('%s', async (_what, answers, expected) => {
    const server = await mailServer(answers);
    const mailer = smtpMailer(server.url);
    const error: unknown = await mailer
      .send({ ...envelope, to: 'jane@example.com' }, mail)
      .catch((refused: unknown) => refused);
    expect(error).toHaveProperty('message');
    expect(isPermanent(error)).toBe(expected);
    mailer.close();
    await server.stop();
  });

  it('treats an unavailable server and a rejected login as temporary failures', async () => {
    const server = await mailServer({});
    await server.stop();
    const mailer = smtpMailer(server.url);
    const error: unknown = await mailer.send(envelope, mail).catch((refused: unknown) => refused);
    expect(error).toHaveProperty('message');
    expect(isPermanent(error)).toBe(false);
    expect(isPermanent({ code: 'EAUTH', responseCode: 535 })).toBe(false);
    mailer.close();
  });
});

describe('the mailer of an installation', () => {
  const isAvailable = (mailer: ReturnType<typeof configuredMailer>) =>
    emailChannel(mailer, 'shop@example.com').isConnected(defaultRetailerSettings);

  it('is missing if neither a server nor files are configured', () => {
    const mustBeGiven = {
      AMQP_URL: 'amqp://localhost',
      MONGODB_URI: 'mongodb://localhost',
      ID_SECRET: 'sixteen letters!',
      MASTER_KEY: randomBytes(32).toString('base64'),
    };
    jest.replaceProperty(process, 'env', mustBeGiven);
    const mailer = configuredMailer(readConfig());
    jest.restoreAllMocks();
    expect(mailer).toBeUndefined();
    expect(isAvailable(mailer)).toBe(false);
  });

  it('delivers to a server if there is one, and otherwise writes files if configured', async () => {
    const dir = mkdtempSync(path.join(os.tmpdir(), 'mail-'));
    const server = await mailServer({});
    for (const [SMTP_URL, files] of [
      [undefined, ['d1.eml']],
      [server.url, []],
    ] as const) {
      rmSync(path.join(dir, 'mail'), { recursive: true, force: true });
      const mailer = configuredMailer({ SMTP_URL, MAIL_FILES: true, DATA_DIR: dir });
      expect(isAvailable(mailer)).toBe(true);
      await mailer?.send({ ...envelope, to: 'jane@example.com' }, mail);
      mailer?.close();
      expect(existsSync(path.join(dir, 'mail')) ? readdirSync(path.join(dir, 'mail')) : []).toEqual(files);
    }
    expect(server.published).toContain('RCPT TO:<jane@example.com>');
    await server.stop();
    rmSync(dir, { recursive: true });
  });
});

describe('a slow mail server', () => {
  const to = { ...envelope, to: 'jane@example.com' };

  /**
   * A server that stops responding, or disconnects, after this command, or from the start if the command is undefined.
   */
  async function silentAfter(verb: string | undefined, hangsUp = false) {
    const sockets = new Set<Socket>();
    let fallSilent = () => {};
    const silence = new Promise<void>((resolve) => (fallSilent = resolve));
    const server = createServer((socket) => {
      sockets.add(socket);
      let inData = false;
      socket.on('error', () => undefined);
      if (verb === undefined) return fallSilent();
      socket.write('220 test\r\n');
      socket.on('data', (bytes) => {
        for (const line of bytes.toString().split('\r\n').filter(Boolean)) {
          if (inData && line !== '.') continue;
          const said = inData ? '.' : line.slice(0, 4).toUpperCase();
          inData = false;
          if (said === verb) {
            if (hangsUp) socket.destroy();
            return fallSilent();
          }
          inData = said === 'DATA';
          socket.write(inData ? '354 go on\r\n' : '250 fine\r\n');
        }
      });
    });
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    const { port } = server.address() as { port: number };
    return {
      url: `smtp://127.0.0.1:${port}`,
      silence,
      stop: () =>
        new Promise<void>((stopped) => {
          for (const socket of sockets) socket.destroy();
          server.close(() => stopped());
        }),
    };
  }

  it.each<[string, string | undefined, boolean]>([
    ['before its greeting', undefined, false],
    ['at the first word', 'EHLO', false],
    ['at the sender', 'MAIL', false],
    ['at the recipient', 'RCPT', false],
    ['before it requests the content', 'DATA', false],
    ['after it has received the content', '.', true],
  ])(
    'that stops responding %s ends the attempt in time (it may have received the e-mail: %s)',
    async (_when, verb, isUnknown) => {
      const deadline = new AbortController();
      const server = await silentAfter(verb);
      const mailer = smtpMailer(server.url, () => deadline.signal);
      const sending = mailer.send(to, mail).catch((fault: unknown) => fault);
      await server.silence;
      deadline.abort();
      const error = await sending;
      expect(error).toHaveProperty('message');
      expect(error instanceof MailOutcomeUnknown).toBe(isUnknown);
      expect(isPermanent(error)).toBe(false);
      mailer.close();
      await server.stop();
    },
  );

  it('is given less time than the lease of an attempt lasts', async () => {
    const timeout = jest.spyOn(AbortSignal, 'timeout');
    const server = await mailServer({});
    const mailer = smtpMailer(server.url);
    await mailer.send(to, mail);
    const allowed = timeout.mock.calls.map(([ms]) => ms);
    timeout.mockRestore();
    mailer.close();
    await server.stop();
    expect(allowed).toHaveLength(1);
    expect(allowed[0]).toBeLessThanOrEqual(claimMs / 2);
  });

  it('whose reply is lost with the connection may have received the e-mail', async () => {
    const server = await silentAfter('.', true);
    const mailer = smtpMailer(server.url);
    const sending = mailer.send(to, mail).catch((fault: unknown) => fault);
    expect(await sending).toBeInstanceOf(MailOutcomeUnknown);
    mailer.close();
    await server.stop();
  });
});
