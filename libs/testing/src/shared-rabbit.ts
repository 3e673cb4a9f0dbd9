import { startRabbit } from './rabbitmq';

/**
 * The broker of tests that do not disturb each other: the one of the whole test run (`TEST_AMQP_URL`), else a private
 * one.
 */
export async function sharedRabbit(): Promise<{ readonly url: string; dispose(): Promise<void> }> {
  const url = process.env['TEST_AMQP_URL'];
  return url === undefined ? startRabbit() : { url, dispose: async () => {} };
}
