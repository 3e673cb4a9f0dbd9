import { createHmac } from 'node:crypto';
import http, { type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface ProviderCall {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface FakeResponse {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The API of a messaging provider: it records requests, and responds as configured. */
export interface FakeProvider {
  readonly url: string;
  readonly calls: ProviderCall[];
  /** Undefined disconnects without a response. */
  reply: FakeResponse | undefined;
  close(): Promise<void>;
}

export async function startFakeProvider(usual: FakeResponse): Promise<FakeProvider> {
  const sockets = new Set<Socket>();
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      provider.calls.push({ path: request.url ?? '', headers: request.headers, text });
      const { reply } = provider;
      if (!reply) return void request.socket.destroy();
      response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
      response.end(JSON.stringify(reply.body));
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const provider: FakeProvider = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: [],
    reply: usual,
    close: () =>
      new Promise((closed) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => closed());
      }),
  };
  return provider;
}

export const twilioKeys = { account_sid: `AC${'0a'.repeat(16)}`, auth_token: 'the token of the account' };

/** The response of Twilio's Messages resource to an accepted message. */
export const twilioAccepted: FakeResponse = {
  status: 201,
  body: { sid: `SM${'1b'.repeat(16)}`, status: 'queued', error_code: null, num_segments: '1' },
};

/** The response to a rejected message. */
export const twilioError = (status: number, code: number, headers = {}): FakeResponse => ({
  status,
  headers,
  body: { code, message: 'No.', more_info: `https://www.twilio.com/docs/errors/${code}`, status },
});

/** `X-Twilio-Signature`: the URL, then each field with its value, sorted by name. */
export function twilioSignature(url: string, fields: Readonly<Record<string, string>>): string {
  const signed = Object.keys(fields)
    .sort()
    .reduce((text, name) => text + name + (fields[name] ?? ''), url);
  return createHmac('sha1', twilioKeys.auth_token).update(signed).digest('base64');
}

export const whatsappKeys = {
  access_token: 'the access token',
  app_secret: 'the secret of the app',
  verify_token: 'the verify token',
};

export const whatsappAccepted: FakeResponse = {
  status: 200,
  body: {
    messaging_product: 'whatsapp',
    contacts: [{ input: '+33612345678', wa_id: '33612345678' }],
    messages: [{ id: 'wamid.HBgLMzM2MTIzNDU2Nzg=', message_status: 'accepted' }],
  },
};

export const whatsappError = (status: number, code: number): FakeResponse => ({
  status,
  body: {
    error: {
      message: `(#${code}) No`,
      type: 'OAuthException',
      code,
      error_data: { messaging_product: 'whatsapp', details: 'No.' },
      fbtrace_id: 'A1b2',
    },
  },
});

export const whatsappSignature = (body: Buffer): string =>
  `sha256=${createHmac('sha256', whatsappKeys.app_secret).update(body).digest('hex')}`;

/** A status notification as the Cloud API posts it. */
export function whatsappStatus(ref: string, status: string, code?: number): Buffer {
  const one = {
    id: 'wamid.HBgLMzM2MTIzNDU2Nzg=',
    status,
    timestamp: '1779012000',
    recipient_id: '33612345678',
    biz_opaque_callback_data: ref,
    ...(code !== undefined && { errors: [{ code, title: 'Message undeliverable' }] }),
  };
  const value = {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '15550783881', phone_number_id: '106540352242922' },
    statuses: [one],
  };
  const entry = [{ id: '102290129340398', changes: [{ value, field: 'messages' }] }];
  return Buffer.from(JSON.stringify({ object: 'whatsapp_business_account', entry }));
}
