import net from 'node:net';
import { checkBroker, checkDatabase } from './check-connectivity';

/** A limit for servers that never respond; otherwise the tests would wait for the default limit. */
const shortMs = 1_000;

describe('a server that accepts connections and sends nothing', () => {
  let server: net.Server;
  let address: string;
  const sockets = new Set<net.Socket>();
  beforeEach(async () => {
    server = net.createServer((socket) => sockets.add(socket.on('error', () => {})));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    address = `127.0.0.1:${(server.address() as net.AddressInfo).port}`;
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  it.each([
    ['AMQP_URL', 'RabbitMQ', 'amqp', checkBroker],
    ['MONGODB_URI', 'MongoDB', 'mongodb', checkDatabase],
  ] as const)('is reported in one line as not being %s', async (origin, what, scheme, assertServer) => {
    const failure: unknown = await assertServer(
      `${scheme}://someone:secret@${address}`,
      origin,
      shortMs,
    ).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(String(failure)).toMatch(/^Error: [^\n]+$/);
    expect(String(failure)).toContain(
      `${what} is not responding at ${scheme}://someone:***@${address} (${origin}): `,
    );
    expect(sockets.size).toBeGreaterThan(0);
  });
});
