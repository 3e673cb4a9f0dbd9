import { z } from 'zod';
import {
  choiceSetting,
  describeSettings,
  flagSetting,
  integerSetting,
  optionalSetting,
  parseSettings,
  SettingsError,
  textSetting,
} from './settings';
import {
  brokerAccess,
  brokerSettings,
  commonSettings,
  databaseOf,
  idSettings,
  sealingSettings,
  storeSettings,
} from './shared-settings';

const shape = {
  ...commonSettings,
  ...brokerSettings,
  ...storeSettings('receipt-store'),
  ...sealingSettings,
  ...idSettings,
  CACHE_COUNT_MAX: integerSetting({
    min: 1,
    max: 100,
    default: 10,
    description: 'The number of items to keep.',
  }),
  FAST: flagSetting({ default: false, description: 'Whether to skip the delay.' }),
};

const given = {
  AMQP_URL: 'amqp://guest:guest@localhost:5672',
  MONGODB_URI: 'mongodb://a:1,b:2/?replicaSet=rs',
  MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
  ID_SECRET: 'sixteen characters',
};

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    parseSettings(shape, env);
  } catch (error) {
    if (error instanceof SettingsError) return error.faults;
    throw error;
  }
  return [];
}

describe('settings', () => {
  test('are read with their types and defaults', () => {
    const settings = parseSettings(shape, {
      ...given,
      HEALTH_PORT: '9000',
      FAST: 'true',
      CACHE_COUNT_MAX: '',
    });
    expect(settings).toMatchObject({
      HEALTH_PORT: 9000,
      FAST: true,
      CACHE_COUNT_MAX: 10,
      LOG_LEVEL: 'info',
      MONGODB_URI: given.MONGODB_URI,
    });
  });

  test('contain the prefix of databases and queues', () => {
    const names = (env: Record<string, string>) => {
      const settings = parseSettings(shape, { ...given, ...env });
      return [brokerAccess(settings).platform, databaseOf(settings, 'receipt-store')];
    };
    expect(names({})).toEqual(['receipts', 'receipts_receipt_store']);
    expect(names({ RESOURCE_PREFIX: 'my-shop' })).toEqual(['my-shop', 'my_shop_receipt_store']);
    expect(names({ MONGODB_DATABASE: 'mine' })).toEqual(['receipts', 'mine']);
    expect(faultsOf({ ...given, RESOURCE_PREFIX: 'My_Shop' })).toHaveLength(1);
  });

  test('are all reported if invalid, without their values', () => {
    const faults = faultsOf({
      ...given,
      AMQP_URL: 'http://secret',
      LOG_LEVEL: 'loud',
      HEALTH_PORT: '70000',
      ID_SECRET: '',
    });
    expect(faults).toEqual([
      'LOG_LEVEL must be one of debug, info, warn, error',
      'HEALTH_PORT must be at most 65535',
      'AMQP_URL must begin with amqp:// or amqps://',
      'ID_SECRET is missing',
    ]);
  });

  test.each([
    ['amqp://u:p@a:5672,b:5672/vhost', []],
    ['amqp://u:p@a:x,b', ['AMQP_URL must be a URL, whose hosts may be separated by commas']],
    ['amqp://u:p@a,,b', ['AMQP_URL must be a URL, whose hosts may be separated by commas']],
  ])('accepts a URL with several valid hosts: %s', (AMQP_URL, faults) => {
    expect(faultsOf({ ...given, AMQP_URL })).toEqual(faults);
  });

  test.each(['1.5', '0x10', '1e3', 'many', ' 7', '99999999999999999'])(
    'rejects %p as a whole number',
    (value) => {
      expect(faultsOf({ ...given, CACHE_COUNT_MAX: value })).toHaveLength(1);
    },
  );

  test.each(['short', `${given.MASTER_KEY},short`, Buffer.alloc(16).toString('base64')])(
    'rejects a master key in the wrong format: %p',
    (value) => expect(faultsOf({ ...given, MASTER_KEY: value })[0]).toMatch(/^MASTER_KEY must be 32 bytes/),
  );

  test('are listed with their descriptions and defaults', () => {
    const described = describeSettings({
      A: choiceSetting({ words: ['x', 'y'], default: 'x', description: 'One of two.' }),
      B: textSetting({ description: 'Any text.' }),
      C: optionalSetting(textSetting({ description: 'Perhaps a text.' })),
    });
    expect(described).toEqual([
      { name: 'A', description: 'One of two.', required: false, default: 'x' },
      { name: 'B', description: 'Any text.', required: true },
      { name: 'C', description: 'Perhaps a text.', required: false },
    ]);
    expect(describeSettings(shape)).toHaveLength(Object.keys(shape).length);
  });

  test('must have a description', () => {
    expect(() => describeSettings({ A: z.string() })).toThrow('the setting A has no description');
  });
});
