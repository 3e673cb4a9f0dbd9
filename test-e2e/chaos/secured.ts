import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createServer as createTlsServer, type Server } from 'node:tls';
import { promisify } from 'node:util';
import amqp from 'amqplib';
import { freePort, listen, startMongo, startRabbit, until, type Rabbit } from '@receipts/testing';
import { Client, expectStatus, newRetailer, type TestRetailer } from '../harness/client';
import { secureAgent } from '../harness/http';
import { discard, ownPlatform } from '../harness/own-platform';
import { aReceipt, uniqueId } from '../harness/receipts';
import { acceptPackets } from './ledger';
import type { Print } from './scenario';

const root = path.resolve(__dirname, '../../..');

interface Installation {
  readonly folder: string;
  /** The certificate of the private authority that signed `certFile`. */
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
  /** The broker password of a service. */
  readonly passwordOf: (service: string) => string;
  readonly definitionsFile: string;
}

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc'];

/** A certificate for this machine, signed by a private certificate authority. */
function certify(folder: string): Pick<Installation, 'caFile' | 'certFile' | 'keyFile'> {
  const [caFile, caKeyFile, certFile, keyFile] = ['ca.pem', 'ca.key', 'cert.pem', 'key.pem'].map((name) =>
    path.join(folder, name),
  ) as [string, string, string, string];
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'ignore' });
  const authority = ['-subj', '/CN=authority', '-keyout', caKeyFile, '-out', caFile];
  openssl('req', '-x509', ...newKey, ...authority);
  const names = [
    '-addext',
    'subjectAltName=IP:127.0.0.1,DNS:localhost',
    '-addext',
    'basicConstraints=CA:FALSE',
  ];
  const signed = ['-CA', caFile, '-CAkey', caKeyFile, '-keyout', keyFile, '-out', certFile];
  openssl('req', '-x509', ...newKey, '-subj', '/CN=receipts', ...names, ...signed);
  return { caFile, certFile, keyFile };
}

/** The secrets and users of a production installation, created by `secrets.sh`, and its certificates. */
function install(folder: string): Installation {
  const scripts = path.join(folder, 'deploy/docker');
  mkdirSync(scripts, { recursive: true });
  for (const name of ['secrets.sh', 'rabbitmq-definitions.json']) {
    copyFileSync(path.join(root, 'deploy/docker', name), path.join(scripts, name));
  }
  execFileSync('bash', [path.join(scripts, 'secrets.sh')]);
  const secrets = readFileSync(path.join(folder, '.env'), 'utf8');
  return {
    folder,
    ...certify(folder),
    definitionsFile: path.join(folder, '.secrets/rabbitmq-definitions.json'),
    passwordOf(service) {
      const name = `${service.replaceAll('-', '_').toUpperCase()}_BROKER_PASSWORD`;
      return new RegExp(`^${name}=(.+)$`, 'm').exec(secrets)?.[1] ?? '';
    },
  };
}

/** The lines of `rabbitmq.conf` for amqps and for the management API over HTTPS. */
const tlsListeners = ({ caFile, certFile, keyFile }: Installation, amqps: number, management: number) => [
  `listeners.ssl.default = 127.0.0.1:${amqps}`,
  `management.ssl.port = ${management}`,
  'management.ssl.ip = 127.0.0.1',
  ...['ssl_options', 'management.ssl'].flatMap((options) => [
    `${options}.cacertfile = ${caFile}`,
    `${options}.certfile = ${certFile}`,
    `${options}.keyfile = ${keyFile}`,
  ]),
];

/** A TLS proxy for a database without TLS. */
function tlsProxy(port: number, { certFile, keyFile }: Installation): Server {
  const files = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
  return createTlsServer(files, (socket) => {
    const upstream = connect(port, '127.0.0.1');
    socket.pipe(upstream).pipe(socket);
    for (const end of [socket, upstream]) end.on('error', () => (socket.destroy(), upstream.destroy()));
  });
}

/** A receipt, a packet, an e-mail, a webhook and the feed. Together they exercise every service. */
async function smokeTest({ api }: TestRetailer, hook: string, received: readonly string[]): Promise<void> {
  const endpoint = { url: hook, event_types: ['receipt.created'] };
  expectStatus(await api.post('/webhooks/endpoints', endpoint), 201);
  const feed = expectStatus(await api.get('/events', { types: 'receipt.created' }), 200);
  const id = expectStatus(await api.post('/receipts', aReceipt()), 201).body.id as string;
  await acceptPackets(api);
  const packet = await api.post('/pos/receipts', aReceipt());
  const location = expectStatus(packet, 202).headers.location as string;
  await until('the conversion', async () => (await api.get(location)).status === 200);
  const send = { id, channels: ['email'], email_address: `${uniqueId()}@example.com` };
  expectStatus(await api.post('/receipts/_send', send), 202);
  await until('the e-mail', async () => {
    const { body } = await api.get(`/receipts/${id}/deliveries`);
    return body.deliveries.some(({ status }: { status: string }) => /^(sent|delivered)$/.test(status));
  });
  const ids = [id, String(location.split('/').at(-1))];
  await until('both webhooks', () => ids.every((one) => received.some((text) => text.includes(one))));
  const { href } = feed.body._links.next;
  await until('both events', async () => (await api.get(href)).body.events.length === 2);
}

/** What an operator does that needs the management API. */
async function operatorTest(baseUrl: string, token: string, retailer: string): Promise<void> {
  const operator = new Client(baseUrl, { headers: { authorization: `Bearer ${token}` } });
  const subscription = { name: 'chaos', types: ['receipt.created'] };
  expectStatus(await operator.post(`/operator/retailers/${retailer}/subscriptions`, subscription), 201);
  expectStatus(await operator.get('/operator/messages/dead-letters'), 200);
  expectStatus(await operator.get('/operator/status'), 200);
}

/** Operations of a service on other services' queues. */
const forbidden: Readonly<Record<string, (channel: amqp.Channel) => PromiseLike<unknown>>> = {
  'read commands': (channel) => channel.get('receipts.ingest.commands'),
  'purge a queue': (channel) => channel.purgeQueue('receipts.ingest.commands'),
  'delete a queue': (channel) => channel.deleteQueue('receipts.receipt-store.requests'),
  'create a queue': (channel) => channel.assertQueue('receipts.admin.x'),
};

/** Attempts the forbidden operations as two of the services. Returns those that were allowed. */
async function violations(rabbit: Rabbit, { passwordOf }: Installation): Promise<string[]> {
  const succeeded: string[] = [];
  for (const user of ['gateway', 'transform']) {
    for (const [what, attempt] of Object.entries(forbidden)) {
      const connection = await amqp.connect(`amqp://${user}:${passwordOf(user)}@127.0.0.1:${rabbit.port}`);
      connection.on('error', () => {});
      const channel = await connection.createChannel();
      channel.on('error', () => {});
      const isRefused = await Promise.resolve(attempt(channel)).then(
        () => false,
        (error: { code?: unknown }) => error.code === 403,
      );
      if (!isRefused) succeeded.push(`${user} could ${what}`);
      await connection.close().catch(() => {});
    }
  }
  return succeeded;
}

/** The operations that the broker denied to services, according to their logs. */
function refusalsIn(dataDir: string): string[] {
  const logs = path.join(dataDir, 'logs');
  const lines = readdirSync(logs).flatMap((name) => readFileSync(path.join(logs, name), 'utf8').split('\n'));
  return lines.filter((line) => line.includes('ACCESS_REFUSED'));
}

const backupCommand = path.join(root, 'services/admin/dist/operations/commands/backup.js');

/** Saves the installation to a new folder, and restores it under another name, which compares counts and checksums. */
async function saveAndRestore(folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const run = (command: string, prefix: string) =>
    promisify(execFile)(process.execPath, [backupCommand, command, folder], {
      env: { ...process.env, ...env, RESOURCE_PREFIX: prefix },
    });
  await run('save', 'receipts');
  await run('restore', 'restored');
}

/** A server that records the bodies of webhooks. */
const recordWebhooks = (received: string[]) =>
  createServer((req, res) => {
    let text = '';
    req.setEncoding('utf8').on('data', (part: string) => (text += part));
    req.on('end', () => {
      received.push(text);
      res.writeHead(204).end();
    });
  });

/**
 * A platform with the security of production: each service has its own broker user, whose permissions are those of the
 * compose file's definitions; HTTPS, amqps, the management API and the database use certificates of a private authority.
 * Its backup is restored under another name on the same servers.
 * @throws Error that states what did not work
 */
export async function secured(print: Print): Promise<boolean> {
  const installation = install(mkdtempSync(path.join(os.tmpdir(), 'receipts-secured-')));
  const { caFile, certFile, keyFile, definitionsFile, passwordOf } = installation;
  secureAgent.options.ca = readFileSync(caFile);
  const [amqpsPort, managementPort] = [await freePort(), await freePort()];
  const [rabbit, mongo] = await Promise.all([
    startRabbit({ managed: true, configuration: tlsListeners(installation, amqpsPort, managementPort) }),
    startMongo({ isPrivate: true }),
  ]);
  await rabbit.control('import_definitions', definitionsFile);
  const tls = tlsProxy(Number(new URL(mongo.uri).port), installation);
  const tlsPort = await listen(tls);
  const received: string[] = [];
  const hooks = recordWebhooks(received);
  const hookUrl = `http://127.0.0.1:${await listen(hooks)}/`;
  const managementUrl = `https://admin:${passwordOf('admin')}@127.0.0.1:${managementPort}`;
  const databaseUri = `mongodb://127.0.0.1:${tlsPort}/?tls=true`;
  const envOf = (service: string): NodeJS.ProcessEnv => ({
    NODE_EXTRA_CA_CERTS: caFile,
    INSTALLATION: '',
    AMQP_URL: `amqps://${service}:${passwordOf(service)}@127.0.0.1:${amqpsPort}`,
    MONGODB_URI: databaseUri,
    ...(service === 'admin' && { BROKER_MANAGEMENT_URL: managementUrl }),
    ...(service === 'gateway' && { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile }),
  });
  const variables = { AMQP_URL: rabbit.url, MONGODB_URI: mongo.uri, RESOURCE_PREFIX: 'receipts' };
  let platform: Awaited<ReturnType<typeof ownPlatform>> | undefined;
  try {
    platform = await ownPlatform({ env: envOf }, variables);
    const { baseUrl, secrets } = platform;
    print(`every service is ready, with its own user, at ${baseUrl}`);
    const retailer = await newRetailer(baseUrl, secrets.operatorToken);
    await smokeTest(retailer, hookUrl, received);
    print('receipt, packet, e-mail, webhook and feed: done');
    await operatorTest(baseUrl, secrets.operatorToken, retailer.id);
    print("an integrator's queue, dead letters, status: done");
    await saveAndRestore(path.join(installation.folder, 'backup'), {
      NODE_EXTRA_CA_CERTS: caFile,
      MONGODB_URI: databaseUri,
    });
    print('backup and restore: done');
    const faults = [...(await violations(rabbit, installation)), ...refusalsIn(platform.settings.dataDir)];
    print(`${faults.length} permissions are missing or superfluous`);
    for (const fault of faults) print(fault);
    return faults.length === 0;
  } finally {
    await discard(platform);
    tls.close();
    hooks.close();
    await Promise.all([rabbit.dispose(), mongo.stop()]);
    rmSync(installation.folder, { recursive: true, force: true });
  }
}
