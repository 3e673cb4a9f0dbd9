import { newId, ServiceError, type CloudEvent } from '@receipts/kernel';
import { startWorld, type World } from '../../testing/world';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
beforeEach(() => {
  world.mails.length = 0;
  world.askFault = undefined;
  world.mailFault = undefined;
});
afterAll(() => world.close());

const reset = {
  email: 'jo@demo.example',
  link: 'https://receipts.example/portal/password?token=a.b&<c>',
  expires: '2026-05-18T10:00:00+00:00',
  language: 'en' as 'en' | 'de',
  retailer: { id: 'demo', name: 'Demo & Sons\r\nBcc: x' },
  is_invitation: true,
};

function asked(found: Partial<typeof reset> | null): CloudEvent {
  const id = newId();
  world.passwordResets.set(id, found && { ...reset, ...found });
  return {
    id: newId(),
    type: 'portal_user.password_reset_requested',
    retailer: 'demo',
    correlationid: newId(),
    data: { reset_id: id },
  } as CloudEvent;
}

it('sends the link to the address from admin, with the id of the event', async () => {
  const event = asked({});
  expect(await world.deliver(event)).toEqual([undefined]);
  const [{ envelope, mail } = {} as World['mails'][number]] = world.mails;
  expect(envelope).toEqual({
    id: event.id,
    to: 'jo@demo.example',
    from: 'receipts@platform.example',
    replyTo: null,
  });
  expect(mail.subject).toBe('Demo & Sons Bcc: x: your access to the receipt portal');
  expect(mail.text).toContain(`\n${reset.link}\n`);
  expect(mail.html).toContain('token=a.b&amp;&lt;c&gt;');
  expect(mail.html).toContain('Demo &amp; Sons');
  expect(mail.text).toContain('18 May 2026 at 10:00 UTC');
});

it('tells a user who has a password that it remains valid', async () => {
  await world.deliver(asked({ is_invitation: false }));
  expect(world.mails[0]?.mail.text).toContain('your password will not change');
});

it('is in the language of the user', async () => {
  await world.deliver(asked({ language: 'de' }));
  const { mail } = world.mails[0] ?? {};
  expect(mail?.subject).toBe('Demo & Sons Bcc: x: Ihr Zugang zum Bon-Portal');
  expect(mail?.text).toContain('bis 18. Mai 2026 um 10:00 UTC.');
  expect(mail?.html).toContain('<html lang="de">');
});

it('sends nothing for a reset that was replaced by a later reset', async () => {
  expect(await world.deliver(asked(null))).toEqual([undefined]);
  expect(world.mails).toEqual([]);
});

it('is retried if admin or the mail server is unavailable, but not if the address is permanently rejected', async () => {
  const event = asked({});
  world.askFault = new ServiceError({ status: 503, code: 'unavailable', description: 'away' });
  expect(await world.deliver(event)).toEqual([expect.any(ServiceError)]);
  world.askFault = undefined;
  world.mailFault = new Error('connection refused');
  expect(await world.deliver(event)).toEqual([world.mailFault]);
  world.mailFault = Object.assign(new Error('no such user'), { code: 'EENVELOPE', responseCode: 550 });
  expect(await world.deliver(event)).toEqual([undefined]);
  world.mailFault = undefined;
  expect(await world.deliver(event)).toEqual([undefined]);
  expect(world.mails).toHaveLength(1);
});
