import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ApiError } from '@receipts/client';
import { operatorClient } from './api';
import { UsageError, type Arguments } from './command';
import { commands } from './commands';

export const usage = `Usage: npm run operator -- <command> [--json]

  retailer create <id> --name <name> [--vatno <vatno>] [--settings <json>]
  retailer list
  retailer show <id>
  retailer set <id> <setting>=<value>...     timezone=Europe/Paris stores.from_receipt=true name=Demo; null restores the default
    [--force]                                disables the webhook endpoints whose filters the change makes invalid
  client create <retailer> bearer|hmac --description <text> [--permissions view.get_receipt,...]
  subscription create <retailer> <name> [<type>...]     creates a queue of events for an integrator: receipt.* store.updated
  subscription list <retailer>
  subscription delete <retailer> <name>
  cards import <retailer> <file.json|file.csv>
  portal-user create <retailer> <email> [--group <group>] [--inactive] [--no-mail]
  status
  audit [--retailer <id>]                               operator actions, newest first
  catch-up [identifier] [delivery] [--from-start]       processes receipts whose events were lost; --from-start rebuilds summaries and rewards
  keys rotate                                           creates a new key for proofs of receipts, and keeps the earlier keys
  reindex [<retailer>...] [--after <position>]          rebuilds the search documents of receipts, after a change of dynamic_fields or an upgrade
  dead-letters list [<queue>]
  dead-letters show <queue> <id>
  dead-letters replay|discard <queue> <id>...|--all

--json prints the API response. BASE_URL and OPERATOR_TOKEN set the API's address and the operator's token; otherwise they are read
from demo-credentials.json in DATA_DIR (.data). Exits with 0 on success, 1 if the API rejected the request, or 2 if the command was
invalid.
`;

const options = {
  json: { type: 'boolean' },
  help: { type: 'boolean' },
  all: { type: 'boolean' },
  inactive: { type: 'boolean' },
  'no-mail': { type: 'boolean' },
  force: { type: 'boolean' },
  'from-start': { type: 'boolean' },
  name: { type: 'string' },
  vatno: { type: 'string' },
  settings: { type: 'string' },
  description: { type: 'string' },
  permissions: { type: 'string' },
  group: { type: 'string' },
  after: { type: 'string' },
  retailer: { type: 'string' },
} as const;

interface Access {
  readonly baseUrl: string;
  readonly token: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws UsageError if neither the environment nor the file contains it */
function accessOf(env: Environment): Access {
  const file = path.join(env['DATA_DIR'] ?? '.data', 'demo-credentials.json');
  let kept: { baseUrl?: string; operator?: { token?: string } } = {};
  try {
    kept = JSON.parse(readFileSync(file, 'utf8')) as typeof kept;
  } catch {
    // The file is not needed if the environment contains all settings.
  }
  const baseUrl = env['BASE_URL'] ?? kept.baseUrl;
  const token = env['OPERATOR_TOKEN'] ?? kept.operator?.token;
  if (baseUrl === undefined || token === undefined) {
    throw new UsageError(`set BASE_URL and OPERATOR_TOKEN, or start the platform, which writes ${file}`);
  }
  return { baseUrl: baseUrl.replace(/\/$/, ''), token };
}

function parsed(argv: readonly string[]): Arguments {
  try {
    const { positionals, values } = parseArgs({ args: [...argv], options, allowPositionals: true });
    return { positionals, values };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** The command named by the first words, with the remaining words. */
function commandOf({ positionals, values }: Arguments) {
  for (const words of [2, 1]) {
    const name = positionals.slice(0, words).join(' ');
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (command) return { command, args: { positionals: positionals.slice(words), values } };
  }
  throw new UsageError(
    positionals.length === 0 ? 'a command is missing' : `unknown command ${positionals.join(' ')}`,
  );
}

export interface Printed {
  readonly code: 0 | 1 | 2;
  readonly out: string;
  readonly err: string;
}

/** Runs one command line and returns its output and exit code. */
export async function runOperator(argv: readonly string[], env: Environment): Promise<Printed> {
  const wantsJson = argv.includes('--json');
  try {
    const all = parsed(argv);
    if (all.values['help'] === true) return { code: 0, out: usage, err: '' };
    const { command, args } = commandOf(all);
    const { baseUrl, token } = accessOf(env);
    const { json, text } = await command(operatorClient(baseUrl, token), args);
    return { code: 0, out: `${wantsJson ? JSON.stringify(json) : text}\n`, err: '' };
  } catch (error) {
    if (error instanceof UsageError) return { code: 2, out: '', err: `${error.message}\n\n${usage}` };
    if (wantsJson && error instanceof ApiError) {
      return { code: 1, out: `${JSON.stringify(error.body)}\n`, err: `${error.message}\n` };
    }
    return { code: 1, out: '', err: `${(error as Error).message}\n` };
  }
}
