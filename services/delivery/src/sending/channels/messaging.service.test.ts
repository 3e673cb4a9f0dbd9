import type { Channel, RetailerSettings } from '@receipts/contracts';
import { newId, ServiceError } from '@receipts/kernel';
import {
  startFakeProvider,
  twilioAccepted,
  twilioError,
  twilioKeys,
  twilioSignature,
  whatsappAccepted,
  whatsappError,
  whatsappKeys,
  whatsappSignature,
  whatsappStatus,
  type FakeProvider,
  type FakeResponse,
} from '../../testing/fake-provider';
import { callOf, publicUrl, receiptOf, recordedEvent, retailerOf, webhookParts } from '../../testing/samples';
import { startWorld, type World } from '../../testing/world';

let world: World;
let twilio: FakeProvider;
let whatsapp: FakeProvider;
let retailer: string;

beforeAll(async () => {
  twilio = await startFakeProvider(twilioAccepted);
  whatsapp = await startFakeProvider(whatsappAccepted);
  world = await startWorld(webhookParts(), {
    'sms-main': { kind: 'twilio', ...twilioKeys, from: '+15005550006', url: twilio.url },
    'sms-other': { kind: 'twilio', ...twilioKeys, auth_token: 'another', from: null, url: twilio.url },
    whatsapp: {
      kind: 'whatsapp-cloud',
      ...whatsappKeys,
      phone_number_id: '106540352242922',
      template: 'receipt',
      languages: ['en', 'fr'],
      url: whatsapp.url,
    },
  });
});
beforeEach(() => {
  retailer = `r-${newId()}`;
  set({});
  for (const provider of [twilio, whatsapp]) provider.calls.length = 0;
  twilio.reply = twilioAccepted;
  whatsapp.reply = whatsappAccepted;
});
afterAll(async () => {
  await world.close();
  await Promise.all([twilio.close(), whatsapp.close()]);
});

/** Settings of the retailer of this test, with both channels enabled. */
function set(change: { sms?: object; whatsapp?: object; locale?: string }): void {
  const { channels } = retailerOf(retailer).settings;
  const { locale = 'fr_FR' } = change;
  const settings: Partial<RetailerSettings> = {
    locale,
    channels: {
      ...channels,
      sms: { ...channels.sms, enabled: true, ...change.sms },
      whatsapp: { ...channels.whatsapp, enabled: true, ...change.whatsapp },
    },
  };
  world.retailers.set(retailer, retailerOf(retailer, settings));
}
function known(change: Parameters<typeof receiptOf>[0] = {}): string {
  const receipt = receiptOf({ properties: { phone: '06 12 34 56 78' } as never, ...change });
  world.receipts.set(receipt.id, { retailer, receipt });
  return receipt.id;
}
const send = (id: string, channel: Channel) =>
  world.ask('sendReceipt', { body: { id, channels: [channel] } }, callOf(retailer));
const deliveriesOf = async (id: string) =>
  (await world.ask('listDeliveries', { params: { id } }, callOf(retailer))).body.deliveries;
const first = async (id: string) => (await deliveriesOf(id))[0];
const reaches = (id: string, what: object) =>
  world.until(JSON.stringify(what), async () => {
    const found = (await first(id)) as unknown as Record<string, unknown> | undefined;
    return Object.entries(what).every(([name, value]) => found?.[name] === value);
  });
const published = (type: string) =>
  world.events.filter((event) => event.type === type && event.retailer === retailer);
const later = (ms: number) => (world.now = new Date(world.now.getTime() + ms));
const refusalOf = async (answer: Promise<unknown>) => {
  const refused = await answer.then(
    () => undefined,
    (error: unknown) => error,
  );
  return refused instanceof ServiceError ? refused.status : refused;
};
const formOf = (provider: FakeProvider, n = 0) =>
  Object.fromEntries(new URLSearchParams(provider.calls[n]?.text));
const refIn = (url: string | undefined) => new URL(String(url)).searchParams.get('ref') ?? '';

const smsReport = (ref: string, fields: Record<string, string>, account = 'sms-main') => {
  const url = `${publicUrl}/channels/${account}/callbacks?ref=${encodeURIComponent(ref)}`;
  const signature = twilioSignature(url, fields);
  const body = Buffer.from(new URLSearchParams(fields).toString());
  return { params: { account }, query: { ref }, headers: { 'x-twilio-signature': signature }, body };
};
const report = (input: ReturnType<typeof smsReport>) =>
  world.ask('receiveChannelReport', input as never, callOf(''));
const whatsappReport = (body: Buffer, signature = whatsappSignature(body)) =>
  world.ask(
    'receiveChannelReport',
    { params: { account: 'whatsapp' }, headers: { 'x-hub-signature-256': signature }, body } as never,
    callOf(''),
  );

describe('SMS', () => {
  it('posts a short text with the URL of the receipt through the account, once', async () => {
    const id = known();
    await send(id, 'sms');
    await reaches(id, { status: 'sent', attempts: 1, reason: null, delivered_timestamp: undefined });
    expect(twilio.calls).toHaveLength(1);
    const [{ path, headers }] = twilio.calls as [(typeof twilio.calls)[0]];
    expect(path).toBe(`/2010-04-01/Accounts/${twilioKeys.account_sid}/Messages.json`);
    const { account_sid: sid, auth_token: token } = twilioKeys;
    expect(headers.authorization).toBe(`Basic ${Buffer.from(`${sid}:${token}`).toString('base64')}`);
    const form = formOf(twilio);
    expect(form).toMatchObject({ To: '+33612345678', From: '+15005550006' });
    expect(form['Body']).toMatch(new RegExp(`^[^\n\u00a0\u202f]+\n[^\n]+: ${publicUrl}/r/[\\w-]+$`));
    expect(form['StatusCallback']).toMatch(
      new RegExp(`^${publicUrl}/channels/sms-main/callbacks\\?ref=[\\w.-]+$`),
    );
  });

  it('uses the account and the sender name that the retailer has chosen', async () => {
    set({ sms: { account: 'sms-other' } });
    const resolved = await world.ask(
      'sendReceipt',
      { body: { id: known(), channels: ['sms'], resolve: true } },
      callOf(retailer),
    );
    // That account has no sender.
    expect(resolved.body).toMatchObject({ channels: ['whatsapp'] });
    const service = `MG${'2c'.repeat(16)}`;
    retailer = `r-${newId()}`;
    set({ sms: { account: 'sms-other', from: service } });
    const id = known();
    await send(id, 'sms');
    await reaches(id, { status: 'sent' });
    expect(formOf(twilio)).toMatchObject({ MessagingServiceSid: service });
    expect(formOf(twilio)['StatusCallback']).toContain('/channels/sms-other/');
  });

  it.each(['nobody', 'whatsapp'])('is not available with the account %s', async (account) => {
    set({ sms: { account } });
    expect(await refusalOf(send(known(), 'sms'))).toBe(422);
  });

  it.each<[string, FakeResponse, string]>([
    ['a malformed number', twilioError(400, 21_211), 'invalid_address'],
    ['a recipient who has replied STOP', twilioError(400, 21_610), 'opted_out'],
    ['a country that is not allowed', twilioError(400, 21_408), 'refused'],
  ])('%s is a permanent failure', async (_what, reply, reason) => {
    twilio.reply = reply;
    const id = known();
    await send(id, 'sms');
    await reaches(id, { status: 'failed', reason, attempts: 1 });
    await world.until('it was published', () => published('delivery.failed').length === 1);
  });

  it.each<[string, FakeResponse, string]>([
    ['a wrong key', twilioError(401, 20_003), 'not_delivered'],
    ['an outage', { status: 503, body: 'down' }, 'not_delivered'],
    ['a response that is not a message', { status: 200, body: [] }, 'not_delivered'],
    ['too many messages', twilioError(429, 20_429), 'rate_limited'],
  ])('%s is a temporary failure', async (_what, reply, reason) => {
    twilio.reply = reply;
    const id = known();
    await send(id, 'sms');
    await reaches(id, { status: 'pending', reason, attempts: 1 });
    twilio.reply = twilioAccepted;
    later(31_000);
    await reaches(id, { status: 'sent', reason: null, attempts: 2 });
  });

  it('waits as long as a provider requests', async () => {
    twilio.reply = twilioError(429, 20_429, { 'retry-after': '300' });
    const id = known();
    await send(id, 'sms');
    await reaches(id, { status: 'pending', reason: 'rate_limited' });
    twilio.reply = twilioAccepted;
    later(200_000);
    const other = known();
    await send(other, 'sms');
    await reaches(other, { status: 'sent' });
    expect(await first(id)).toMatchObject({ status: 'pending', attempts: 1 });
    later(101_000);
    await reaches(id, { status: 'sent', attempts: 2 });
  });

  it('never sends to an invalid number', async () => {
    set({ locale: 'fr' });
    const id = known({ properties: { phone: '06 12 34 56 78' } as never });
    await send(id, 'sms');
    await reaches(id, { status: 'failed', reason: 'invalid_address' });
    expect(twilio.calls).toEqual([]);
  });
});

describe('reports from Twilio', () => {
  const taken = async () => {
    const id = known();
    await send(id, 'sms');
    await reaches(id, { status: 'sent' });
    return { id, ref: refIn(formOf(twilio)['StatusCallback']) };
  };

  it('show when a message arrived; late and repeated reports have no effect', async () => {
    const { id, ref } = await taken();
    await report(smsReport(ref, { MessageStatus: 'sent', MessageSid: 'SM1' }));
    await report(smsReport(ref, { MessageStatus: 'delivered', MessageSid: 'SM1', To: '+33', ToCity: 'x' }));
    const { delivered_timestamp: delivered } = (await first(id)) ?? {};
    expect(delivered).toBe(world.now.toISOString().replace('Z', '+00:00'));
    later(1_000);
    for (const status of ['delivered', 'sent', 'failed', 'nonsense', '__proto__']) {
      await report(smsReport(ref, { MessageStatus: status }));
    }
    expect(await first(id)).toMatchObject({ status: 'sent', reason: null, delivered_timestamp: delivered });
    await world.until('it was published', () => published('delivery.sent').length > 0);
    expect(published('delivery.sent')).toHaveLength(1);
  });

  it.each([
    ['30003', 'undelivered'],
    ['30006', 'invalid_address'],
    ['21610', 'opted_out'],
  ])('mark a message that was accepted but not delivered as failed (%s)', async (code, reason) => {
    const { id, ref } = await taken();
    await report(smsReport(ref, { MessageStatus: 'undelivered', ErrorCode: code }));
    expect(await first(id)).toMatchObject({ status: 'failed', reason });
    expect(world.ended.at(-1)).toBe(`sms failed ${reason}`);
    await world.until('it was published', () => published('delivery.failed').length === 1);
    expect(published('delivery.failed')).toMatchObject([{ sequence: 3, retailer, data: { reason } }]);
    await report(smsReport(ref, { MessageStatus: 'undelivered', ErrorCode: code }));
    expect(published('delivery.failed')).toHaveLength(1);
  });

  it('settle an attempt whose response was lost, so that nothing is sent twice', async () => {
    twilio.reply = undefined;
    const id = known();
    await send(id, 'sms');
    await reaches(id, { status: 'failed', reason: 'outcome_unknown', attempts: 1 });
    twilio.reply = twilioAccepted;
    await report(smsReport(refIn(formOf(twilio)['StatusCallback']), { MessageStatus: 'sent' }));
    await reaches(id, { status: 'sent', reason: null });
    await world.until('it was published', () => published('delivery.sent').length === 1);
    later(3_600_000);
    const other = known();
    await send(other, 'sms');
    await reaches(other, { status: 'sent' });
    expect(twilio.calls).toHaveLength(2);
  });

  it('are accepted only with the signature of their account, for messages of that account', async () => {
    const { id, ref } = await taken();
    const failed = smsReport(ref, { MessageStatus: 'failed' });
    const forged: object[] = [
      { ...failed, headers: {} },
      { ...failed, headers: { 'x-twilio-signature': '' } },
      { ...failed, headers: { 'x-twilio-signature': `${failed.headers['x-twilio-signature']}A` } },
      { ...failed, body: Buffer.from('MessageStatus=undelivered') },
      { ...failed, query: { ref: `${ref}x` } },
      { ...failed, query: {} },
      { ...failed, params: { account: 'sms-other' } },
    ];
    for (const input of forged) expect(await refusalOf(report(input as never))).toBe(403);
    expect(await refusalOf(report({ ...failed, params: { account: 'nobody' } }))).toBe(404);
    // Correctly signed reports about messages that this account has not sent.
    for (const other of ['', 'x', `${newId()}.AAAAAAAAAAAAAAAAAAAAAA`, ref.slice(0, -1)]) {
      await report(smsReport(other, { MessageStatus: 'failed' }));
    }
    expect(await first(id)).toMatchObject({ status: 'sent', reason: null });
  });
});

describe('WhatsApp', () => {
  it('posts the approved template, in one of the template’s languages', async () => {
    const id = known();
    await send(id, 'whatsapp');
    await reaches(id, { status: 'sent', channel: 'whatsapp' });
    const [{ path, headers, text }] = whatsapp.calls as [(typeof whatsapp.calls)[0]];
    expect([path, headers.authorization]).toEqual([
      '/106540352242922/messages',
      `Bearer ${whatsappKeys.access_token}`,
    ]);
    const message = JSON.parse(text) as Record<string, any>;
    expect(message).toMatchObject({
      messaging_product: 'whatsapp',
      to: '+33612345678',
      type: 'template',
      template: { name: 'receipt', language: { code: 'en' } },
    });
    const [{ parameters }] = message['template'].components;
    expect(parameters.map(({ type }: { type: string }) => type)).toEqual(['text', 'text', 'text']);
    expect(parameters[2].text).toMatch(new RegExp(`^${publicUrl}/r/`));
  });

  it.each<[string, FakeResponse, string]>([
    ['a number without WhatsApp', whatsappError(400, 131_026), 'invalid_address'],
    ['a template that does not exist', whatsappError(404, 132_001), 'not_delivered'],
    ['a parameter that is wrong', whatsappError(400, 100), 'refused'],
    ['a recipient who has opted out', whatsappError(400, 131_050), 'opted_out'],
    ['an expired token', whatsappError(401, 190), 'not_delivered'],
    ['an outage', whatsappError(500, 131_000), 'not_delivered'],
    ['too many messages', whatsappError(400, 130_429), 'rate_limited'],
    ['too many messages to one number', whatsappError(400, 131_056), 'rate_limited'],
  ])('%s: %j', async (_what, reply, reason) => {
    whatsapp.reply = reply;
    const id = known();
    await send(id, 'whatsapp');
    const isPermanent = !['not_delivered', 'rate_limited'].includes(reason);
    await reaches(id, { status: isPermanent ? 'failed' : 'pending', reason, attempts: 1 });
  });

  it("requires reports signed with the app's secret", async () => {
    const id = known();
    await send(id, 'whatsapp');
    await reaches(id, { status: 'sent' });
    const ref = String((JSON.parse(whatsapp.calls[0]?.text ?? '{}') as any).biz_opaque_callback_data);
    const failed = whatsappStatus(ref, 'failed', 131_026);
    for (const signature of ['', 'sha256=', whatsappSignature(Buffer.from('other'))]) {
      expect(await refusalOf(whatsappReport(failed, signature))).toBe(403);
    }
    for (const nonsense of ['', 'null', '{"entry":1}', '{"entry":[{"changes":[{}]}]}', '\u0000']) {
      expect(await refusalOf(whatsappReport(Buffer.from(nonsense)))).toBe(400);
    }
    const message = { entry: [{ changes: [{ value: { messages: [{ text: { body: 'hi' } }] } }] }] };
    await whatsappReport(Buffer.from(JSON.stringify(message)));
    await whatsappReport(whatsappStatus(`${newId()}.x`, 'failed'));
    expect(await first(id)).toMatchObject({ status: 'sent' });
    await whatsappReport(failed);
    expect(await first(id)).toMatchObject({ status: 'failed', reason: 'invalid_address' });
  });

  it('treats a read message as delivered', async () => {
    const id = known();
    await send(id, 'whatsapp');
    await reaches(id, { status: 'sent' });
    const ref = String((JSON.parse(whatsapp.calls[0]?.text ?? '{}') as any).biz_opaque_callback_data);
    await whatsappReport(whatsappStatus(ref, 'read'));
    expect((await first(id))?.delivered_timestamp).toMatch(/^2026-.*\+00:00$/);
  });

  it('confirms the callback URL to a caller with the verify token', async () => {
    const ask = (account: string, query: object) =>
      world.ask('confirmChannelCallback', { params: { account }, query } as never, callOf(''));
    const asked = { 'hub.mode': 'subscribe', 'hub.challenge': '1158201444' };
    const good = { ...asked, 'hub.verify_token': whatsappKeys.verify_token };
    expect(await ask('whatsapp', good)).toMatchObject({ body: '1158201444' });
    for (const bad of [{}, asked, { ...good, 'hub.verify_token': 'x' }, { ...good, 'hub.mode': 'x' }]) {
      expect(await refusalOf(ask('whatsapp', bad))).toBe(403);
    }
    expect(await refusalOf(ask('sms-main', good))).toBe(403);
    expect(await refusalOf(ask('nobody', good))).toBe(404);
  });
});

it('sends a new receipt over each channel in its messaging settings, once', async () => {
  const receipt = receiptOf({
    properties: {
      phone: '+33612345678',
      messaging_settings: { sms: { send: true }, whatsapp: { send: true, block: true } },
    } as never,
  });
  world.receipts.set(receipt.id, { retailer, receipt });
  const event = recordedEvent(retailer, receipt);
  await world.deliver(event, event);
  await world.deliver(event);
  await world.until('both are settled', async () =>
    (await deliveriesOf(receipt.id)).every(({ status }) => status !== 'pending'),
  );
  const found = await deliveriesOf(receipt.id);
  expect(found.map(({ channel, status, reason }) => [channel, status, reason]).sort()).toEqual([
    ['sms', 'sent', null],
    ['whatsapp', 'suppressed', 'blocked'],
  ]);
  expect([twilio.calls.length, whatsapp.calls.length]).toEqual([1, 0]);
});
