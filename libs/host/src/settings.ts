import { z } from 'zod';
import { addressesIn } from '@receipts/messaging';

/** Settings are declared as a record that maps the name of each environment variable to the schema of its value. */
export type SettingsShape = Readonly<Record<string, z.ZodType>>;

export type Settings<S extends SettingsShape> = { readonly [K in keyof S]: z.output<S[K]> };

/** Parses the text of an environment variable. */
export type Setting<T> = z.ZodType<T, string | undefined>;

interface Documented<T> {
  /** Why the setting exists; becomes part of the documentation. */
  readonly description: string;
  /** If absent, the setting is required. */
  readonly default?: T;
}

function documented<T>(schema: z.ZodType<T, string>, options: Documented<T>): Setting<T> {
  const { description, default: value } = options;
  const whole: z.ZodType = value === undefined ? schema : (schema as z.ZodType).default(value);
  return whole.meta({ description }) as Setting<T>;
}

const wholeNumber = /^-?\d{1,15}$/;

/** An integer in decimal digits. The name of the setting should contain its unit. */
export function integerSetting(options: Documented<number> & { readonly min: number; readonly max: number }) {
  const { min, max } = options;
  const schema = z
    .string()
    .regex(wholeNumber, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`));
  return documented(schema, options);
}

/** Any text, or text that matches a pattern. */
export function textSetting(options: Documented<string> & { readonly pattern?: RegExp }) {
  const { pattern } = options;
  const schema = pattern ? z.string().regex(pattern, `must match ${pattern.source}`) : z.string();
  return documented(schema, options);
}

function parsedJson(text: string, ctx: z.RefinementCtx<string>): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    ctx.addIssue('must be JSON');
    return z.NEVER;
  }
}

/** A value of several parts, as JSON. The default is written as in the environment. */
export function jsonSetting<S extends z.ZodType>(
  schema: S,
  { description, default: value }: { readonly description: string; readonly default?: string },
) {
  const text = value === undefined ? z.string() : z.string().default(value);
  return (text as z.ZodType<string, string | undefined>)
    .transform(parsedJson)
    .pipe(schema as z.ZodType<z.output<S>, unknown>)
    .meta({ description });
}

/** One of a fixed set of words. */
export function choiceSetting<const T extends string>(
  options: Documented<NoInfer<T>> & { readonly words: readonly T[] },
): Setting<T> {
  const { words } = options;
  const schema = z.enum(words, `must be one of ${words.join(', ')}`);
  return documented(schema as unknown as z.ZodType<T, string>, options);
}

/** `true` or `false`. */
export function flagSetting(options: Documented<boolean>) {
  const schema = z.enum(['true', 'false'], 'must be true or false').transform((word) => word === 'true');
  return documented(schema, options);
}

/** A URL with one of the given protocols, written without a colon. It may list several hosts. */
export function urlSetting(options: Documented<string> & { readonly protocols: readonly string[] }) {
  const { protocols } = options;
  const schema = z
    .string()
    .refine(
      (value) => protocols.some((protocol) => value.startsWith(`${protocol}://`)),
      `must begin with ${protocols.map((protocol) => `${protocol}://`).join(' or ')}`,
    )
    .refine(
      (value) => addressesIn(value).every((address) => URL.canParse(address)),
      'must be a URL, whose hosts may be separated by commas',
    );
  return documented(schema, options);
}

/** An optional setting; its value is undefined if absent. */
export function optionalSetting<S extends z.ZodType>(schema: S): z.ZodOptional<S> {
  return schema.optional().meta({ description: schema.description ?? '' });
}

/** Reports all invalid settings by name, but never a value. */
export class SettingsError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`invalid settings: ${faults.join('; ')}`);
    this.name = 'SettingsError';
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The faults of settings that are valid alone, but not together. They name settings, but never a value. */
type Conflicts<S extends SettingsShape> = (settings: Settings<S>) => readonly string[];

/**
 * Parses settings from an environment. An empty variable counts as absent.
 * @throws SettingsError that lists every invalid or missing setting, or else all conflicts
 */
export function parseSettings<S extends SettingsShape>(
  declared: S,
  env: Environment,
  conflicts: Conflicts<S> = () => [],
): Settings<S> {
  const faults: string[] = [];
  const settings: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(declared)) {
    const given = env[name] === '' ? undefined : env[name];
    const result = schema.safeParse(given);
    if (result.success) settings[name] = result.data;
    else if (given === undefined) faults.push(`${name} is missing`);
    else faults.push(`${name} ${result.error.issues.map((issue) => issue.message).join(', ')}`);
  }
  if (faults.length === 0) faults.push(...conflicts(settings as Settings<S>));
  if (faults.length > 0) throw new SettingsError(faults);
  return settings as Settings<S>;
}

/**
 * Reads settings at the start of a process. Invalid ones are written to stderr, and the process exits with 1.
 * @param declared `{...commonSettings, ...}`: a record that maps names to schemas
 */
export function readSettings<S extends SettingsShape>(declared: S, conflicts?: Conflicts<S>): Settings<S> {
  try {
    return parseSettings(declared, process.env, conflicts);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const line = {
      time: new Date().toISOString(),
      level: 'error',
      msg: 'invalid settings',
      faults: error.faults,
    };
    process.stderr.write(`${JSON.stringify(line)}\n`);
    return process.exit(1);
  }
}

export interface SettingDescription {
  readonly name: string;
  readonly description: string;
  /** The default as text; absent for required and optional settings. */
  readonly default?: string;
  readonly required: boolean;
}

/**
 * Describes settings for the documentation.
 * @throws Error for a setting without a description, because every setting must be documented
 */
export function describeSettings<S extends SettingsShape>(declared: S): SettingDescription[] {
  return Object.entries(declared).map(([name, schema]) => {
    const { description } = schema;
    if (!description) throw new Error(`the setting ${name} has no description`);
    const absent = schema.safeParse(undefined);
    const value = absent.success ? absent.data : undefined;
    return {
      name,
      description,
      required: !absent.success,
      ...(value !== undefined && { default: typeof value === 'string' ? value : JSON.stringify(value) }),
    };
  });
}
