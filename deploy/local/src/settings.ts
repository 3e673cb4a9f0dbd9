import path from 'node:path';

/** What the local set-up reads from the environment. Everything else is a setting of the services themselves. */
export interface LocalSettings {
  /** The address on which the gateway listens; this machine alone unless it is told otherwise. */
  readonly host: string;
  /** The gateway's port; 0 takes a free one. */
  readonly port: number;
  /** Where broker, store, secrets, logs and mail live. */
  readonly dataDir: string;
  readonly amqpUrl: string | undefined;
  readonly mongodbUri: string | undefined;
  /** What every queue, exchange and database begins with; the data folder's own name unless given. */
  readonly platform: string | undefined;
  /** The whole environment: services may be tuned by the variables that their READMEs name. */
  readonly environment: NodeJS.ProcessEnv;
}

const portMax = 65_535;

/** An empty variable is one that is not set. */
function withoutEmpty(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
}

function checkScheme(name: string, value: string | undefined, schemes: readonly string[]): void {
  if (value === undefined || schemes.some((scheme) => value.startsWith(scheme))) return;
  throw new Error(`${name} must begin with ${schemes.join(' or ')}`);
}

/**
 * @throws Error that names the variable which is wrong.
 */
export function readLocalSettings(given: NodeJS.ProcessEnv, cwd: string): LocalSettings {
  const environment = withoutEmpty(given);
  const port = Number(environment['PORT'] ?? 8080);
  if (!Number.isInteger(port) || port < 0 || port > portMax) {
    throw new Error(`PORT must be a whole number from 0 to ${portMax}, not "${environment['PORT']}"`);
  }
  checkScheme('AMQP_URL', environment['AMQP_URL'], ['amqp://', 'amqps://']);
  checkScheme('MONGODB_URI', environment['MONGODB_URI'], ['mongodb://', 'mongodb+srv://']);
  return {
    host: environment['HOST'] ?? '127.0.0.1',
    port,
    dataDir: path.resolve(cwd, environment['DATA_DIR'] ?? '.data'),
    amqpUrl: environment['AMQP_URL'],
    mongodbUri: environment['MONGODB_URI'],
    platform: environment['PLATFORM'],
    environment,
  };
}
