import { BSON } from 'mongodb';
import { startTcpProxy, type TcpProxy } from '@receipts/testing';

/** A database command. */
export interface DatabaseCommand {
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
export class CommandRecorder {
  /** All commands so far, in order of arrival. */
  readonly commands: DatabaseCommand[] = [];

  private constructor(private readonly proxy: TcpProxy) {}

  /** @param uri a database on this machine */
  static async start(uri: string): Promise<CommandRecorder> {
    const proxy = await startTcpProxy(Number(new URL(uri).port), () => {
      let rest = Buffer.alloc(0);
      return (bytes) => {
        rest = Buffer.concat([rest, bytes]);
        while (rest.length >= headBytes && rest.length >= rest.readInt32LE(0)) {
          const message = rest.subarray(0, rest.readInt32LE(0));
          rest = rest.subarray(message.length);
          const command = commandOf(message);
          if (command) recorder.commands.push(command);
        }
      };
    });
    const recorder = new CommandRecorder(proxy);
    return recorder;
  }

  get uri(): string {
    return `mongodb://127.0.0.1:${this.proxy.port}/?directConnection=true`;
  }

  close(): Promise<void> {
    return this.proxy.close();
  }
}

/** Undefined for messages of the handshake, which use another opcode. */
function commandOf(message: Buffer): DatabaseCommand | undefined {
  if (message.readInt32LE(12) !== messageOpcode || message[sectionsAt] !== bodySection) return undefined;
  const length = message.readInt32LE(sectionsAt + 1);
  const body = BSON.deserialize(message.subarray(sectionsAt + 1, sectionsAt + 1 + length));
  const [name = ''] = Object.keys(body);
  const target: unknown = name === 'getMore' ? body['collection'] : body[name];
  return { name, database: String(body['$db']), collection: typeof target === 'string' ? target : '' };
}
