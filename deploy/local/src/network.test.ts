import net from 'node:net';
import { assertFree, freePort, isListening } from './network';

describe('assertFree and isListening', () => {
  let server: net.Server;
  let port: number;
  beforeEach(async () => {
    server = net.createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as net.AddressInfo).port;
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  it('distinguish a used port from a free one', async () => {
    expect(await isListening({ port })).toBe(true);
    await expect(assertFree(port, '127.0.0.1')).rejects.toThrow(
      `Port ${port} of 127.0.0.1 is already in use`,
    );
    await new Promise((resolve) => server.close(resolve));
    expect(await isListening({ port })).toBe(false);
    await assertFree(port, '127.0.0.1');
  });

  it('report that an address does not belong to this machine', async () => {
    await expect(assertFree(port, '192.0.2.1')).rejects.toThrow(/EADDRNOTAVAIL/);
  });
});

it('returns free ports that no connection is given meanwhile', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, freePort));
  const server = net.createServer((socket) => socket.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const ephemeral = (server.address() as net.AddressInfo).port;
  await new Promise((resolve) => server.close(resolve));
  for (const port of ports) {
    expect(port).toBeLessThan(32_768);
    await assertFree(port, '127.0.0.1');
  }
  expect(ephemeral).toBeGreaterThan(Math.max(...ports));
});
