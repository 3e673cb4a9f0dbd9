import { readFileSync } from 'node:fs';
import type { DemoCredentials } from '@receipts/local';
import { Client, newRetailer, type TestRetailer } from './client';
import { conformance } from './conformance';

/** The platform of this test run. */
export interface SharedPlatform {
  readonly credentials: DemoCredentials;
  readonly dataDir: string;
  readonly amqpUrl: string;
  /** The broker's management interface. */
  readonly managementUrl: string;
}

export function sharedPlatform(): SharedPlatform {
  const file = process.env['E2E_PLATFORM_FILE'];
  if (file === undefined) throw new Error('the platform was not started: run the tests with npm test');
  return JSON.parse(readFileSync(file, 'utf8')) as SharedPlatform;
}

/** A new retailer on the shared platform. Every response is checked against the API description. */
export async function aRetailer(settings: object = {}): Promise<TestRetailer> {
  const { credentials } = sharedPlatform();
  const inspect = await conformance(credentials.baseUrl);
  return newRetailer(credentials.baseUrl, credentials.operator.token, settings, inspect);
}

/** Sends requests without a credential. */
export async function anonymous(): Promise<Client> {
  const { credentials } = sharedPlatform();
  return new Client(credentials.baseUrl, {}, await conformance(credentials.baseUrl));
}

/** Sends requests with the operator's token. */
export async function operator(): Promise<Client> {
  const { credentials } = sharedPlatform();
  const headers = { authorization: `Bearer ${credentials.operator.token}` };
  return new Client(credentials.baseUrl, { headers }, await conformance(credentials.baseUrl));
}
