import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { freePort, rabbitServerPath, sharedRabbit, type RabbitForTests } from '@receipts/testing';
import { findBroker, type Machine } from './broker';

const dataDir = path.join(os.tmpdir(), 'receipts-without-broker');
const search = { amqpUrl: undefined, dataDir, isolated: false };
const say = () => {};
/** A machine without RabbitMQ, whose user cannot install it. */
const bare = (defaultPort: number): Machine => ({
  defaultPort,
  serverPath: () => undefined,
  canInstall: () => false,
  install: () => false,
  ask: () => Promise.resolve(undefined),
});

describe('a broker that listens on the default port', () => {
  let rabbit: RabbitForTests;
  beforeAll(async () => {
    rabbit = await sharedRabbit();
  });
  afterAll(() => rabbit.dispose());

  it('is used if no server is installed, with a note, and is not stopped with the platform', async () => {
    const port = Number(new URL(rabbit.url).port);
    const lines: string[] = [];
    const broker = await findBroker(search, (line) => lines.push(line), bare(port));
    expect(lines.join()).toMatch(new RegExp(`using the RabbitMQ on port ${port}. Set AMQP_URL`));
    expect(broker).toMatchObject({
      url: `amqp://guest:guest@127.0.0.1:${port}`,
      origin: `listening on ${port}`,
    });
    await broker.stop();
    for (const end of [broker.kill, broker.start]) await expect(end()).rejects.toThrow('not started here');
    await findBroker(search, say, bare(port));
  });

  it('is not used if a private broker is required', async () => {
    const found = findBroker({ ...search, isolated: true }, say, bare(Number(new URL(rabbit.url).port)));
    await expect(found).rejects.toThrow('RabbitMQ is required');
  });

  it('is only used if there is no installed server for a private node', async () => {
    const dir = mkdtempSync(path.join(os.tmpdir(), 'receipts-broker-'));
    const defaultPort = Number(new URL(rabbit.url).port);
    const machine = { ...bare(defaultPort), serverPath: () => rabbitServerPath() };
    const broker = await findBroker({ ...search, dataDir: dir }, say, machine);
    expect(broker.origin).toBe('private node');
    expect(Number(new URL(broker.url).port)).not.toBe(defaultPort);
    await broker.kill();
    rmSync(dir, { recursive: true, force: true });
  });
});

it('does not treat another server on the default port as a broker, and states which setting to use', async () => {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.write('HTTP/1.1 400 Bad Request\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;
  await expect(findBroker(search, say, bare(port))).rejects.toThrow(
    /^RabbitMQ is not responding at .*set AMQP_URL/,
  );
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

it('shows the command that installs a missing RabbitMQ', async () => {
  const found = findBroker(search, say, bare(await freePort()));
  await expect(found).rejects.toThrow(/^RabbitMQ is required and was not found. Install it with: .*rabbitmq/);
});

it.each([
  ['asks', true, false, 1],
  ['does not install it if the user declines', false, false, 0],
  ['does not ask if confirmed in advance', false, true, 1],
  ['continues if there is no terminal', undefined, false, 1],
])('as root, before RabbitMQ is installed: %s', async (_title, answer, assumeYes, installed) => {
  const lines: string[] = [];
  const install = jest.fn(() => false);
  const ask = jest.fn(() => Promise.resolve(answer));
  const machine = { ...bare(await freePort()), canInstall: () => true, install, ask };
  const found = findBroker({ ...search, assumeYes }, (line) => lines.push(line), machine);
  await expect(found).rejects.toThrow('Install it with: ');
  expect(install).toHaveBeenCalledTimes(installed);
  expect(ask).toHaveBeenCalledTimes(assumeYes ? 0 : 1);
  expect(lines.length).toBe(installed);
});
