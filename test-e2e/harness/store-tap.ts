import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { BSON } from 'mongodb';

/** A database command. */
export interface StoreCommand {
  readonly name: string;
  readonly database: string;
  /** Empty for commands that do not concern a collection. */
  readonly collection: string;
}

const headBytes = 16;
const messageOpcode = 2013;
/** After header and flags. */
const sectionsAt = 20;
const bodySection = 0;

/** A proxy between the services and their database that records all commands. */
export class StoreTap {
  /** All commands so far, in order of arrival. */
  readonly commands: StoreCommand[] = [];
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: ReturnType<typeof createServer>) {}

  /** @param uri a database on this machine */
  static async start(uri: string): Promise<StoreTap> {
    const port = Number(new URL(uri).port);
    const server = createServer((client) => tap.join(client, connect(port, '127.0.0.1')));
    const tap = new StoreTap(server);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    return tap;
  }

  get uri(): string {
    return `mongodb://127.0.0.1:${(this.server.address() as AddressInfo).port}/?directConnection=true`;
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      for (const socket of this.sockets) socket.destroy();
    });
  }

  private join(client: Socket, store: Socket): void {
    for (const [socket, partner] of [
      [client, store],
      [store, client],
    ] as const) {
      this.sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => {
        this.sockets.delete(socket);
        partner.destroy();
      });
    }
    store.pipe(client);
    let rest = Buffer.alloc(0);
    client.on('data', (bytes: Buffer) => {
      rest = Buffer.concat([rest, bytes]);
      while (rest.length >= headBytes && rest.length >= rest.readInt32LE(0)) {
        const message = rest.subarray(0, rest.readInt32LE(0));
        rest = rest.subarray(message.length);
        const command = commandOf(message);
        if (command) this.commands.push(command);
        store.write(message);
      }
    });
  }
}

/** Undefined for messages of the handshake, which use another opcode. */
function commandOf(message: Buffer): StoreCommand | undefined {
  if (message.readInt32LE(12) !== messageOpcode || message[sectionsAt] !== bodySection) return undefined;
  const length = message.readInt32LE(sectionsAt + 1);
  const body = BSON.deserialize(message.subarray(sectionsAt + 1, sectionsAt + 1 + length));
  const [name = ''] = Object.keys(body);
  const target: unknown = name === 'getMore' ? body['collection'] : body[name];
  return { name, database: String(body['$db']), collection: typeof target === 'string' ? target : '' };
}
