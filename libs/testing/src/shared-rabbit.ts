import { startRabbit } from './rabbitmq';

/** The broker of a test that harms nobody: the one of the whole test run (`TEST_AMQP_URL`), else one of its own. */
export async function sharedRabbit(): Promise<{ readonly url: string; dispose(): Promise<void> }> {
  const url = process.env['TEST_AMQP_URL'];
  return url === undefined ? startRabbit() : { url, dispose: async () => {} };
}
