import { createSocket, type RemoteInfo } from 'node:dgram';
import { decode, encode, type Answer } from 'dns-packet';

type Records = Partial<Record<'MX' | 'A' | 'AAAA', readonly unknown[]>>;

/**
 * The records of a domain; a single word stands for a server that fails or does not respond. Any other domain does not
 * exist.
 */
export type Zone = Readonly<Record<string, Records | 'silent' | 'broken'>>;

const rcodes = { nothing: 3, broken: 2 };

/** A resolver for a single test, on UDP. */
export async function startDnsServer(zone: Zone) {
  const questions: string[] = [];
  const socket = createSocket('udp4');
  const answer = (query: Buffer, { port, address }: RemoteInfo) => {
    const { id, questions: [question] = [] } = decode(query);
    if (!question) return;
    const { name, type } = question;
    questions.push(`${type} ${name}`);
    const records = Object.hasOwn(zone, name) ? zone[name] : undefined;
    if (records === 'silent') return;
    const found = typeof records === 'object' ? (records[type as keyof Records] ?? []) : [];
    const answers = found.map((data) => ({ name, type, ttl: 60, data }) as unknown as Answer);
    const rcode = records === undefined ? rcodes.nothing : records === 'broken' ? rcodes.broken : 0;
    const flags = 0x8180 | rcode;
    socket.send(
      encode({ type: 'response', id: id ?? 0, flags, questions: [question], answers }),
      port,
      address,
    );
  };
  socket.on('message', answer);
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    server: `127.0.0.1:${socket.address().port}`,
    questions,
    close: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  };
}
