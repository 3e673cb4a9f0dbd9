import { existsSync } from 'node:fs';
import path from 'node:path';
import { findBroker, findDatabase } from '@receipts/local';
import type { OwnVariables } from './own-platform';
import { describeServers } from './server-versions';

/** Where the broker and the database of a test run are: given by their URLs, in containers, or on this machine. */
export type InfrastructureKind = 'given' | 'containers' | 'local';

/** The broker and database that tests share, and the environment variables with their addresses. */
export interface TestInfrastructure {
  readonly env: NodeJS.ProcessEnv;
  /** The settings of a platform that uses them. */
  readonly variables: OwnVariables;
  /** Their versions, in readable form. */
  readonly description: string;
  stop(): Promise<void>;
}

interface Servers {
  readonly amqpUrl: string;
  readonly mongodbUri: string;
  readonly managementUrl?: string | undefined;
  stop(): Promise<void>;
}

const rabbitImage = 'rabbitmq:4-management';
const mongoImage = 'mongo:8';
const replicaSet = '{ _id: "rs0", members: [{ _id: 0, host: "127.0.0.1:27017" }] }';
const primary = 'for (;;) { if (db.hello().isWritablePrimary) break; sleep(100); }';

const givenUrls = () => ({
  amqpUrl: process.env['TEST_AMQP_URL'] ?? process.env['AMQP_URL'],
  mongodbUri: process.env['TEST_MONGODB_URI'] ?? process.env['MONGODB_URI'],
});

async function isDockerRunning(): Promise<boolean> {
  // Loading the library takes half a second of CPU time.
  if (process.env['DOCKER_HOST'] === undefined && !existsSync('/var/run/docker.sock')) return false;
  const { getContainerRuntimeClient } = await import('testcontainers');
  return getContainerRuntimeClient().then(
    () => true,
    () => false,
  );
}

/** `TEST_INFRA=containers|local` decides, otherwise given URLs, otherwise whether a Docker engine responds. */
export async function findInfrastructure(): Promise<InfrastructureKind> {
  const wanted = process.env['TEST_INFRA'];
  if (wanted === 'containers' || wanted === 'local') return wanted;
  const { amqpUrl, mongodbUri } = givenUrls();
  if (amqpUrl !== undefined && mongodbUri !== undefined) return 'given';
  return (await isDockerRunning()) ? 'containers' : 'local';
}

async function startContainers(): Promise<Servers> {
  const { GenericContainer, Wait } = await import('testcontainers');
  const [rabbit, mongo] = await Promise.all([
    new GenericContainer(rabbitImage)
      .withExposedPorts(5672, 15672)
      .withWaitStrategy(Wait.forLogMessage(/Server startup complete/))
      .start(),
    new GenericContainer(mongoImage)
      .withCommand(['--replSet', 'rs0', '--bind_ip_all', '--setParameter', 'ttlMonitorEnabled=false'])
      .withExposedPorts(27017)
      .withWaitStrategy(Wait.forLogMessage(/Waiting for connections/))
      .start(),
  ]);
  await mongo.exec(['mongosh', '--quiet', '--eval', `rs.initiate(${replicaSet}); ${primary}`]);
  const at = (scheme: string, port: number) =>
    `${scheme}://guest:guest@${rabbit.getHost()}:${rabbit.getMappedPort(port)}`;
  return {
    amqpUrl: at('amqp', 5672),
    managementUrl: at('http', 15672),
    mongodbUri: `mongodb://${mongo.getHost()}:${mongo.getMappedPort(27017)}/?directConnection=true`,
    stop: async () => void (await Promise.all([rabbit.stop(), mongo.stop()])),
  };
}

/** Uses servers at the given URLs, and starts those that are not given. */
async function findServers(scratch: string): Promise<Servers> {
  const dataDir = path.join(scratch, 'shared');
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  const { amqpUrl, mongodbUri } = givenUrls();
  const [broker, database] = await Promise.all([
    findBroker({ amqpUrl, dataDir, isolated: true, assumeYes: process.env['CI'] !== undefined }, say),
    findDatabase({ mongodbUri, dataDir, expires: false, readsBackwards: true }),
  ]);
  return {
    amqpUrl: broker.url,
    mongodbUri: database.uri,
    managementUrl: broker.managementUrl ?? process.env['TEST_BROKER_MANAGEMENT_URL'],
    stop: async () => void (await Promise.all([broker.isPrivate && broker.kill(), database.stop()])),
  };
}

/** @param scratch the folder for the data of servers on this machine */
export async function startTestInfrastructure(
  kind: InfrastructureKind,
  scratch: string,
): Promise<TestInfrastructure> {
  const servers = await (kind === 'containers' ? startContainers() : findServers(scratch));
  const { amqpUrl, mongodbUri, managementUrl, stop } = servers;
  return {
    env: {
      TEST_AMQP_URL: amqpUrl,
      TEST_MONGODB_URI: mongodbUri,
      ...(managementUrl !== undefined && { TEST_BROKER_MANAGEMENT_URL: managementUrl }),
    },
    variables: {
      AMQP_URL: amqpUrl,
      MONGODB_URI: mongodbUri,
      ...(managementUrl !== undefined && { BROKER_MANAGEMENT_URL: managementUrl }),
    },
    description: `${await describeServers(amqpUrl, mongodbUri)} (${kind})`,
    stop,
  };
}
