import { mkdtempSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { secretsOf } from './secrets';
import { readLocalSettings } from './settings';

describe('readLocalSettings', () => {
  it('listens on this machine only by default', () => {
    expect(readLocalSettings({}, '/here')).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      dataDir: '/here/.data',
    });
    expect(readLocalSettings({ HOST: '0.0.0.0' }, '/here').host).toBe('0.0.0.0');
  });

  it('treats empty variables as unset', () => {
    const given = {
      PORT: '',
      DATA_DIR: '',
      AMQP_URL: '',
      MONGODB_URI: '',
      HOST: '',
      RESOURCE_PREFIX: '',
      LOG_LEVEL: '',
    };
    const { environment, ...settings } = readLocalSettings(given, '/here');
    expect(settings).toEqual({
      host: '127.0.0.1',
      port: 8080,
      dataDir: '/here/.data',
      amqpUrl: undefined,
      mongodbUri: undefined,
      platform: undefined,
    });
    expect(environment).toEqual({});
  });

  it.each([
    [{ PORT: '70000' }, 'PORT'],
    [{ PORT: 'http' }, 'PORT'],
    [{ AMQP_URL: 'http://127.0.0.1:5672' }, 'AMQP_URL must begin with amqp:// or amqps://'],
    [{ MONGODB_URI: 'postgres://127.0.0.1' }, 'MONGODB_URI must begin with mongodb:// or mongodb+srv://'],
  ])('rejects %j', (given, message) => {
    expect(() => readLocalSettings(given, '/here')).toThrow(message);
  });
});

describe('secretsOf', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(path.join(os.tmpdir(), 'receipts-secrets-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));
  const file = () => path.join(dir, 'secrets.json');

  it('creates keys once, readable only by their owner, and names the platform after its folder', () => {
    const made = secretsOf(dir);
    expect(statSync(file()).mode & 0o077).toBe(0);
    expect(made.platform).toMatch(/^receipts-[0-9a-f]{6}$/);
    expect(secretsOf(dir)).toEqual(made);
  });
});
