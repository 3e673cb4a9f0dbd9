import path from 'node:path';

/** The environment variables of the local set-up. All others are settings of the services. */
export interface LocalSettings {
  /** The address on which the gateway listens. Default: loopback only. */
  readonly host: string;
  /** The gateway's port; 0 for any free port. */
  readonly port: number;
  /** The folder for the broker, the database, secrets, logs and e-mails. */
  readonly dataDir: string;
  readonly amqpUrl: string | undefined;
  readonly mongodbUri: string | undefined;
  /** The prefix of the names of all queues, exchanges and databases. Default: a name specific to the data folder. */
  readonly platform: string | undefined;
  /** The whole environment, because the services accept the variables in docs/settings.md. */
  readonly environment: NodeJS.ProcessEnv;
}

const portMax = 65_535;

/** Treats empty variables as unset. */
function withoutEmpty(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
}

function checkScheme(name: string, value: string | undefined, schemes: readonly string[]): void {
  if (value === undefined || schemes.some((scheme) => value.startsWith(scheme))) return;
  throw new Error(`${name} must begin with ${schemes.join(' or ')}`);
}

/** @throws Error with the name of the invalid variable */
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
    platform: environment['RESOURCE_PREFIX'],
    environment,
  };
}
