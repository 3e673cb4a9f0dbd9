import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import amqp from 'amqplib';
import { freePort, startMongo, startRabbit, until, type Rabbit } from '@receipts/testing';
import { Client, newRetailer, type TestRetailer } from '../harness/client';
import { secureAgent, type Answer } from '../harness/http';
import { discard, ownPlatform } from '../harness/own-platform';
import { aReceipt, uniqueId } from '../harness/receipts';

const root = path.resolve(__dirname, '../../..');
const mapping = {
  id: 'as-it-is',
  match: { content_type: ['*'], source_id: ['*'], store_reference: ['*'], till_id: ['*'] },
  decode: { type: 'json' },
  transform: { language: 'jsonata', expression: 'doc' },
};

interface Installation {
  readonly folder: string;
  readonly certFile: string;
  readonly keyFile: string;
  /** The password of a service at the broker. */
  readonly passwordOf: (service: string) => string;
  readonly definitionsFile: string;
}

/** The secrets and users of a production installation, created by its script, and a certificate for this machine. */
function install(folder: string): Installation {
  const scripts = path.join(folder, 'deploy/docker');
  mkdirSync(scripts, { recursive: true });
  for (const name of ['secrets.sh', 'rabbitmq-definitions.json']) {
    copyFileSync(path.join(root, 'deploy/docker', name), path.join(scripts, name));
  }
  execFileSync('bash', [path.join(scripts, 'secrets.sh')]);
  const secrets = readFileSync(path.join(folder, '.env'), 'utf8');
  const [certFile, keyFile] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')];
  const subject = ['-subj', '/CN=receipts', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc'];
  const out = ['-keyout', keyFile, '-out', certFile];
  execFileSync('openssl', ['req', '-x509', ...key, ...subject, ...out], { stdio: 'ignore' });
  return {
    folder,
    certFile,
    keyFile,
    definitionsFile: path.join(folder, '.secrets/rabbitmq-definitions.json'),
    passwordOf(service) {
      const name = `${service.replaceAll('-', '_').toUpperCase()}_BROKER_PASSWORD`;
      return new RegExp(`^${name}=(.+)$`, 'm').exec(secrets)?.[1] ?? '';
    },
  };
}

/** A TLS proxy for a database without TLS. */
async function tlsBefore(port: number, { certFile, keyFile }: Installation) {
  const files = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
  const server = createTlsServer(files, (socket) => {
    const behind = connect(port, '127.0.0.1');
    socket.pipe(behind).pipe(socket);
    for (const end of [socket, behind]) end.on('error', () => (socket.destroy(), behind.destroy()));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() };
}

function expectStatus(what: string, answer: Answer, status: number): Answer {
  if (answer.status === status) return answer;
  throw new Error(`${what}: ${answer.status} instead of ${status}: ${answer.bytes.toString()}`);
}

/** A receipt, a packet, an e-mail, a webhook and the feed. Together they involve every service. */
async function journey({ api }: TestRetailer, hook: string, heard: readonly string[]): Promise<void> {
  const endpoint = { url: hook, event_types: ['receipt.created'] };
  expectStatus('a webhook endpoint', await api.post('/webhooks/endpoints', endpoint), 201);
  const feed = expectStatus('the feed', await api.get('/events', { types: 'receipt.created' }), 200);
  const posted = expectStatus('a receipt', await api.post('/receipts', aReceipt()), 201).body.id as string;
  expectStatus('a mapping', await api.post('/pos/mappings', mapping), 201);
  expectStatus('its activation', await api.post(`/pos/mappings/${mapping.id}/_activate`, {}), 200);
  const packet = await api.post('/pos/receipts', aReceipt());
  const place = expectStatus('a packet', packet, 202).headers.location as string;
  await until('the conversion', async () => (await api.get(place)).status === 200);
  const send = { id: posted, channels: ['email'], email_address: `${uniqueId()}@example.com` };
  expectStatus('a mail', await api.post('/receipts/_send', send), 202);
  await until('the mail', async () => {
    const { body } = await api.get(`/receipts/${posted}/deliveries`);
    return body.deliveries.some(
      ({ status }: { status: string }) => status === 'sent' || status === 'delivered',
    );
  });
  await until('both webhooks', () =>
    [posted, place.split('/').at(-1)].every((id) => heard.some((text) => text.includes(String(id)))),
  );
  await until(
    'both events',
    async () => (await api.get(feed.body._links.next.href)).body.events.length === 2,
  );
}

/**
 * Attempts operations that two services must not be allowed to perform.
 * @returns the operations that were allowed
 */
async function trespasses(rabbit: Rabbit, { passwordOf }: Installation): Promise<string[]> {
  const attempts = ['gateway', 'transform'].flatMap((user) => [
    { user, what: 'read commands', act: (channel: amqp.Channel) => channel.get('receipts.ingest.commands') },
    {
      user,
      what: 'empty a queue',
      act: (channel: amqp.Channel) => channel.purgeQueue('receipts.ingest.commands'),
    },
    {
      user,
      what: 'delete a queue',
      act: (channel: amqp.Channel) => channel.deleteQueue('receipts.receipt-store.requests'),
    },
    { user, what: 'make a queue', act: (channel: amqp.Channel) => channel.assertQueue('receipts.admin.x') },
  ]);
  const succeeded: string[] = [];
  for (const { user, what, act } of attempts) {
    const connection = await amqp.connect(`amqp://${user}:${passwordOf(user)}@127.0.0.1:${rabbit.port}`);
    connection.on('error', () => {});
    const channel = await connection.createChannel();
    channel.on('error', () => {});
    const refused = await Promise.resolve(act(channel)).then(
      () => false,
      (error: { code?: unknown }) => error.code === 403,
    );
    if (!refused) succeeded.push(`${user} could ${what}`);
    await connection.close().catch(() => {});
  }
  return succeeded;
}

/** The operations that the broker refused to services, according to their logs. */
function refusalsIn(dataDir: string): string[] {
  const logs = path.join(dataDir, 'logs');
  const lines = readdirSync(logs).flatMap((name) => readFileSync(path.join(logs, name), 'utf8').split('\n'));
  return lines.filter((line) => line.includes('ACCESS_REFUSED'));
}

/** Records the bodies of webhooks. */
async function listener(heard: string[]): Promise<Server> {
  const server = createServer((req, res) => {
    let text = '';
    req.setEncoding('utf8').on('data', (part: string) => (text += part));
    req.on('end', () => {
      heard.push(text);
      res.writeHead(204).end();
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return server;
}

/**
 * A platform with the security of production: each service has its own broker user, whose permissions are those of the
 * compose file's definitions; HTTPS, amqps and TLS to the database use a separate certificate.
 * @throws Error that says what did not work
 */
export async function securedDrill(say: (line: string) => void): Promise<boolean> {
  const installation = install(mkdtempSync(path.join(os.tmpdir(), 'receipts-secured-')));
  const { certFile, keyFile, definitionsFile, passwordOf } = installation;
  secureAgent.options.ca = readFileSync(certFile);
  const amqpsPort = await freePort();
  const [rabbit, mongo] = await Promise.all([
    startRabbit({
      managed: true,
      configuration: [
        `listeners.ssl.default = 127.0.0.1:${amqpsPort}`,
        `ssl_options.certfile = ${certFile}`,
        `ssl_options.keyfile = ${keyFile}`,
      ],
    }),
    startMongo({ isPrivate: true }),
  ]);
  await rabbit.control('import_definitions', definitionsFile);
  const tls = await tlsBefore(Number(new URL(mongo.uri).port), installation);
  const heard: string[] = [];
  const hooks = await listener(heard);
  const management = new URL(rabbit.managementUrl ?? '');
  management.username = 'admin';
  management.password = passwordOf('admin');
  const envOf = (service: string): NodeJS.ProcessEnv => ({
    NODE_EXTRA_CA_CERTS: certFile,
    INSTALLATION: '',
    AMQP_URL: `amqps://${service}:${passwordOf(service)}@127.0.0.1:${amqpsPort}`,
    MONGODB_URI: `mongodb://127.0.0.1:${tls.port}/?tls=true`,
    ...(service === 'admin' && { BROKER_MANAGEMENT_URL: management.href }),
    ...(service === 'gateway' && { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile }),
  });
  const places = { AMQP_URL: rabbit.url, MONGODB_URI: mongo.uri, RESOURCE_PREFIX: 'receipts' };
  let platform: Awaited<ReturnType<typeof ownPlatform>> | undefined;
  try {
    platform = await ownPlatform({ env: envOf }, places);
    const { baseUrl, secrets } = platform;
    say(`every service is ready, with a user of its own, at ${baseUrl}`);
    const retailer = await newRetailer(baseUrl, secrets.operatorToken);
    await journey(retailer, `http://127.0.0.1:${(hooks.address() as AddressInfo).port}/`, heard);
    say('receipt, packet, mail, webhook and feed: done');
    const operator = new Client(baseUrl, { headers: { authorization: `Bearer ${secrets.operatorToken}` } });
    const subscription = { name: 'drill', types: ['receipt.created'] };
    const subscribed = await operator.post(`/operator/retailers/${retailer.id}/subscriptions`, subscription);
    expectStatus('a queue of an integrator', subscribed, 201);
    expectStatus('dead letters', await operator.get('/operator/messages/dead-letters'), 200);
    expectStatus('the status', await operator.get('/operator/status'), 200);
    say("an integrator's queue, dead letters, status: done");
    const faults = [...(await trespasses(rabbit, installation)), ...refusalsIn(platform.settings.dataDir)];
    if (faults.length === 0)
      say("nobody is refused what is needed, or reads, empties, deletes or makes another's queue");
    for (const fault of faults) say(fault);
    return faults.length === 0;
  } finally {
    await discard(platform);
    tls.close();
    hooks.close();
    await Promise.all([rabbit.dispose(), mongo.stop()]);
    rmSync(installation.folder, { recursive: true, force: true });
  }
}
