import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

interface Setting {
  /** The placeholder of the value in the help; undefined for a switch. */
  readonly value?: string;
  readonly description: string;
  readonly default?: string;
}

/**
 * All settings: `--store-reference` corresponds to `TILL_AGENT_STORE_REFERENCE`. A flag takes precedence over the
 * environment.
 */
export const settingList = {
  url: {
    value: 'URL',
    description: 'Address of the receipt platform, such as https://receipts.example. Required.',
  },
  key: { value: 'KEY', description: 'Key of a bearer client of the platform. Required.' },
  secret: {
    value: 'SECRET',
    description: 'Secret of that client. Required. Preferably set in the environment.',
  },
  'store-reference': { value: 'TEXT', description: 'The store, sent with each slip.' },
  'till-id': { value: 'TEXT', description: 'The till, sent with each slip.' },
  'till-uuid': { value: 'UUID', description: 'The UUID of the till, sent with each slip.' },
  'source-id': {
    value: 'TEXT',
    description: 'The software that wrote the slips, such as the name of the till software.',
  },
  mapping: {
    value: 'ID',
    description: 'The mapping that converts the slips. By default, the platform chooses one.',
  },
  'content-type': {
    value: 'TYPE',
    description: 'The content type of slips that do not state one.',
    default: 'application/octet-stream',
  },
  listen: {
    value: '[HOST:]PORT',
    description: 'The address that tills print to. Use 127.0.0.1 if the till is this machine.',
    default: '0.0.0.0:9100',
  },
  http: {
    value: '[HOST:]PORT',
    description: 'Status page, metrics and POST /print.',
    default: '127.0.0.1:9101',
  },
  watch: { value: 'FOLDER', description: 'Reads each file that appears in this folder, and removes it.' },
  printer: { value: 'HOST[:PORT]', description: 'Passes slips on to this network printer.' },
  qr: { description: 'Prints the QR code of the digital receipt under each slip. Requires --printer.' },
  silence: {
    value: 'SECONDS',
    description: 'The time without data after which a slip ends.',
    default: '2',
  },
  'queue-size': {
    value: 'SLIPS',
    description: 'The maximum number of waiting slips. At this number, no more slips are accepted.',
    default: '100000',
  },
  data: {
    value: 'FOLDER',
    description:
      'The folder for waiting slips. By default $STATE_DIRECTORY, %ProgramData%\\till-agent or ~/.till-agent.',
  },
} as const satisfies Record<string, Setting>;

type Name = keyof typeof settingList;

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface Settings {
  readonly url: string;
  readonly key: { readonly kid: string; readonly secret: string };
  readonly metadata: Readonly<Record<string, string>>;
  readonly contentType: string;
  readonly listen: Address;
  readonly http: Address;
  readonly watch: string | undefined;
  readonly printer: Address | undefined;
  readonly qr: boolean;
  readonly silenceMs: number;
  readonly jobsMax: number;
  readonly data: string;
}

export interface CommandLine {
  readonly command: 'run' | 'resend' | 'help' | 'version';
  /** Names of jobs to be sent again; all if empty. */
  readonly names: readonly string[];
  value(name: Name): string | undefined;
}

/** A setting is missing or wrong. The message is for the technician. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}

type Environment = Readonly<Record<string, string | undefined>>;

export const variableOf = (name: string) => `TILL_AGENT_${name.replaceAll('-', '_').toUpperCase()}`;
const metadataNames = ['store-reference', 'till-id', 'till-uuid', 'source-id', 'mapping'] as const;
const printerPort = 9100;

/** systemd and Windows have standard folders for service data. */
function defaultData(environment: Environment): string {
  const { STATE_DIRECTORY: systemd, ProgramData: windows } = environment;
  return systemd ?? path.join(windows ?? os.homedir(), windows === undefined ? '.till-agent' : 'till-agent');
}

interface Parsed {
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly positionals: readonly string[];
}

function parse(args: readonly string[]): Parsed {
  const options = Object.fromEntries(
    Object.entries(settingList).map(([name, setting]) => [
      name,
      { type: 'value' in setting ? ('string' as const) : ('boolean' as const) },
    ]),
  );
  const help = { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean' } } as const;
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: { ...options, ...help } });
  } catch (error) {
    throw new SettingError((error as Error).message, { cause: error });
  }
}

/** @throws SettingError */
export function readCommandLine(args: readonly string[], environment: Environment): CommandLine {
  const { values, positionals } = parse(args);
  const [command = 'run', ...names] = positionals;
  if (command !== 'run' && command !== 'resend') throw new SettingError(`Unknown command "${command}".`);
  return {
    command: values['help'] ? 'help' : values['version'] ? 'version' : command,
    names,
    value(name) {
      const setting: Setting = settingList[name];
      const given = values[name] ?? environment[variableOf(name)];
      return given === undefined || given === '' ? setting.default : String(given);
    },
  };
}

export const dataFolder = (line: CommandLine, environment: Environment): string =>
  path.resolve(line.value('data') ?? defaultData(environment));

function required(line: CommandLine, name: Name): string {
  const value = line.value(name);
  if (value === undefined) throw new SettingError(`Set --${name} or ${variableOf(name)}.`);
  return value;
}

function numberOf(line: CommandLine, name: Name, min: number, max: number): number {
  const value = Number(line.value(name));
  if (value >= min && value <= max) return value;
  throw new SettingError(`--${name} must be a number from ${min} to ${max}.`);
}

/** `host`, `port`, `host:port`, `[IPv6]:port` */
function addressOf(name: Name, text: string, defaults: Partial<Address>): Address {
  const isPort = /^\d+$/.test(text);
  const [, ipv6, plain, given] =
    /^(?:\[([\da-f:.]+)\]|([^:[\]]+))?(?::(\d+))?$/i.exec(isPort ? `:${text}` : text) ?? [];
  const host = ipv6 ?? plain ?? defaults.host;
  const port = given === undefined ? defaults.port : Number(given);
  if (host === undefined || port === undefined || port > 65_535)
    throw new SettingError(`--${name} ${text}: write ${String((settingList[name] as Setting).value)}.`);
  return { host, port };
}

function urlOf(line: CommandLine): string {
  const url = required(line, 'url');
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new SettingError('--url must begin with https:// or http://.');
  return url;
}

/** @throws SettingError */
export function readSettings(line: CommandLine, environment: Environment): Settings {
  const printer = line.value('printer');
  const watch = line.value('watch');
  const qr = /^(true|1|yes|on)$/i.test(line.value('qr') ?? '');
  if (qr && printer === undefined) throw new SettingError('--qr requires --printer.');
  const metadata = metadataNames.map((name) => [name.replaceAll('-', '_'), line.value(name)]);
  const everywhere = { host: '0.0.0.0' };
  return {
    url: urlOf(line),
    key: { kid: required(line, 'key'), secret: required(line, 'secret') },
    metadata: Object.fromEntries(metadata.filter(([, value]) => value !== undefined)) as Record<
      string,
      string
    >,
    contentType: required(line, 'content-type'),
    listen: addressOf('listen', required(line, 'listen'), everywhere),
    http: addressOf('http', required(line, 'http'), { host: '127.0.0.1' }),
    watch: watch === undefined ? undefined : path.resolve(watch),
    printer: printer === undefined ? undefined : addressOf('printer', printer, { port: printerPort }),
    qr,
    silenceMs: numberOf(line, 'silence', 0.1, 600) * 1_000,
    jobsMax: numberOf(line, 'queue-size', 1, 1_000_000),
    data: dataFolder(line, environment),
  };
}
