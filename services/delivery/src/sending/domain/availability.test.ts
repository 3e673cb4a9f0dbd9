import { defaultRetailerSettings, type Channel } from '@receipts/contracts';
import { identifierOf } from '../../testing/samples';
import { availableChannels, hasOptOutTag, stepsOf, type Situation } from './availability';

const { channels } = defaultRetailerSettings;

const situationOf = (change: Partial<Situation> = {}): Situation => ({
  settings: defaultRetailerSettings,
  identifier: undefined,
  addresses: { email: 'jane@example.com', phone: '+33612345678' },
  invalid: new Set<Channel>(),
  overrides: {},
  optedOut: new Set<Channel>(),
  connected: new Set<Channel>(['email']),
  ...change,
});
const everyChannel = {
  ...defaultRetailerSettings,
  channels: {
    ...channels,
    sms: { ...channels.sms, enabled: true },
    whatsapp: { ...channels.whatsapp, enabled: true },
  },
};

it('is available if it is enabled, connected and permitted, and has an address', () => {
  expect(availableChannels(situationOf())).toEqual(['email']);
  const connected = new Set<Channel>(['email', 'sms', 'whatsapp']);
  expect(availableChannels(situationOf({ settings: everyChannel, connected }))).toEqual([
    'email',
    'sms',
    'whatsapp',
  ]);
  const addresses = { email: null, phone: '+33612345678' };
  expect(availableChannels(situationOf({ settings: everyChannel, connected, addresses }))).toEqual([
    'sms',
    'whatsapp',
  ]);
});

it('explains each condition that is not met', () => {
  const disabled = {
    ...defaultRetailerSettings,
    channels: { ...channels, email: { ...channels.email, enabled: false } },
  };
  const changes: [string, Partial<Situation>][] = [
    ['settings', { settings: disabled }],
    ['opt_out', { optedOut: new Set<Channel>(['email']) }],
    ['address', { addresses: { email: null, phone: null } }],
    ['channel', { connected: new Set() }],
  ];
  for (const [name, change] of changes) {
    const situation = situationOf(change);
    expect(availableChannels(situation)).toEqual([]);
    const failed = stepsOf('email', situation).filter(({ passed }) => !passed);
    expect(failed).toEqual([
      { channel: 'email', step: name, passed: false, detail: expect.any(String) as string },
    ]);
  }
});

it('allows only the channel of the address in the request if the consumer has opted out', () => {
  const optedOut = situationOf({
    settings: everyChannel,
    connected: new Set<Channel>(['email', 'sms']),
    optedOut: new Set<Channel>(['email', 'sms']),
    overrides: { email_address: 'given@example.com' },
  });
  expect(availableChannels(optedOut)).toEqual(['email']);
});

it.each<[unknown, boolean]>([
  [undefined, false],
  [[], false],
  [['newsletter'], false],
  [['receipts'], true],
  [['newsletter', 'all'], true],
  ['receipts', false],
  [[{ receipts: true }], false],
])('opt-out %j: %s', (tags, expected) => {
  expect(hasOptOutTag(identifierOf(tags === undefined ? {} : { 'opt-out': tags }))).toBe(expected);
});

it('distinguishes an invalid stored address from a missing address', () => {
  const addresses = { email: null, phone: null };
  const detail = (invalid: Channel[]) =>
    stepsOf('email', situationOf({ addresses, invalid: new Set(invalid) })).find(
      ({ step }) => step === 'address',
    )?.detail;
  expect(detail([])).toBe('no address is known');
  expect(detail(['email'])).toMatch(/is not valid/);
});
