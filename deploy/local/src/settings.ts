import path from 'node:path';

/** What the local set-up reads from the environment. Everything else is a setting of the services themselves. */
export interface LocalSettings {
  /** The gateway's port; 0 takes a free one. */
  readonly port: number;
  /** Where broker, store, secrets, logs and mail live. */
  readonly dataDir: string;
  readonly amqpUrl: string | undefined;
  readonly mongodbUri: string | undefined;
  /** The whole environment: services may be tuned by the variables that their READMEs name. */
  readonly environment: NodeJS.ProcessEnv;
}

const portMax = 65_535;

/**
 * @throws Error that names the variable which is wrong.
 */
export function readLocalSettings(environment: NodeJS.ProcessEnv, cwd: string): LocalSettings {
  const port = Number(environment['PORT'] ?? 8080);
  if (!Number.isInteger(port) || port < 0 || port > portMax) {
    throw new Error(`PORT must be a whole number from 0 to ${portMax}, not "${environment['PORT']}"`);
  }
  return {
    port,
    dataDir: path.resolve(cwd, environment['DATA_DIR'] ?? '.data'),
    amqpUrl: environment['AMQP_URL'],
    mongodbUri: environment['MONGODB_URI'],
    environment,
  };
}
