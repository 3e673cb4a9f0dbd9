import path from 'node:path';
import { findBroker, findDatabase } from '@receipts/local';

/** The broker and database that tests share, and the environment variables with their addresses. */
export interface TestInfrastructure {
  readonly env: NodeJS.ProcessEnv;
  stop(): Promise<void>;
}

async function startContainers(): Promise<TestInfrastructure> {
  const { GenericContainer, Wait } = await import('testcontainers');
  const [rabbit, mongo] = await Promise.all([
    new GenericContainer('rabbitmq:3.13')
      .withExposedPorts(5672)
      .withWaitStrategy(Wait.forLogMessage(/Server startup complete/))
      .start(),
    new GenericContainer('mongo:7')
      .withCommand(['--setParameter', 'ttlMonitorEnabled=false'])
      .withExposedPorts(27017)
      .withWaitStrategy(Wait.forLogMessage(/Waiting for connections/))
      .start(),
  ]);
  return {
    env: {
      TEST_AMQP_URL: `amqp://guest:guest@${rabbit.getHost()}:${rabbit.getMappedPort(5672)}`,
      TEST_MONGODB_URI: `mongodb://${mongo.getHost()}:${mongo.getMappedPort(27017)}/`,
    },
    stop: async () => void (await Promise.all([rabbit.stop(), mongo.stop()])),
  };
}

/**
 * Starts the infrastructure of the tests: containers with `TEST_INFRA=containers`, else a private broker and database
 * that are found like by `npm start`.
 */
export async function startTestInfrastructure(scratch: string): Promise<TestInfrastructure> {
  if (process.env['TEST_INFRA'] === 'containers') return startContainers();
  const dataDir = path.join(scratch, 'shared');
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  const amqpUrl = process.env['TEST_AMQP_URL'] ?? process.env['AMQP_URL'];
  const mongodbUri = process.env['TEST_MONGODB_URI'] ?? process.env['MONGODB_URI'];
  const [broker, database] = await Promise.all([
    findBroker({ amqpUrl, dataDir, isolated: true, assumeYes: process.env['CI'] !== undefined }, say),
    findDatabase({ mongodbUri, dataDir, expires: false }),
  ]);
  return {
    env: {
      TEST_AMQP_URL: broker.url,
      TEST_MONGODB_URI: database.uri,
      ...(broker.managementUrl !== undefined && { TEST_BROKER_MANAGEMENT_URL: broker.managementUrl }),
    },
    stop: async () => void (await Promise.all([broker.discard(), database.stop()])),
  };
}
