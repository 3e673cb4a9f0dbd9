import { open, type FileHandle } from 'node:fs/promises';

const chunkBytes = 64 * 1024;

/** The stored data of a job, next to the till's bytes. */
export interface JobFacts {
  /** A UUID. It is also the `Idempotency-Key` of the job. */
  readonly id: string;
  readonly contentType: string;
  /** Metadata and properties that were sent with the job over HTTP. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The number of bytes that were passed on to the printer before the job was complete. */
  readonly printFrom?: number;
  /** The position of the command that ends the slip; anything printed under the slip is inserted before it. */
  readonly endsAt?: number;
  readonly link?: PrintedLink;
}

/** A link that was reserved in advance, and the URL in its QR code. */
export interface PrintedLink {
  readonly link: string;
  readonly href: string;
}

/** The length of the metadata in hexadecimal digits, and a line feed. */
const trailerBytes = 9;
const factsBytesMax = 256 * 1024;

/** The end of a job's file, after the till's bytes: the metadata as JSON, and its length. */
export function encodeFacts(facts: JobFacts): Buffer {
  const json = Buffer.from(JSON.stringify(facts));
  return Buffer.concat([json, Buffer.from(`${json.length.toString(16).padStart(8, '0')}\n`)]);
}

async function readFacts(handle: FileHandle): Promise<{ facts: JobFacts; bytes: number }> {
  const { size } = await handle.stat();
  const readAt = async (length: number, position: number) => {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
    return buffer.subarray(0, bytesRead).toString();
  };
  const length = parseInt(await readAt(trailerBytes, Math.max(0, size - trailerBytes)), 16);
  const bytes = size - trailerBytes - length;
  if (!(length <= factsBytesMax && bytes >= 0)) throw new Error('the file of the job is damaged');
  return { facts: JSON.parse(await readAt(length, bytes)) as JobFacts, bytes };
}

/** A job whose file is open. It can be read even after the file has been renamed or removed. */
export class OpenJob {
  private constructor(
    readonly facts: JobFacts,
    /** The number of the till's bytes, which are the start of the file. */
    readonly bytes: number,
    private readonly handle: FileHandle,
  ) {}

  /** @throws Error if the file is damaged or cannot be read */
  static async open(file: string): Promise<OpenJob> {
    const handle = await open(file, 'r');
    try {
      const { facts, bytes } = await readFacts(handle);
      return new OpenJob(facts, bytes, handle);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** The till's bytes from one position to another. */
  async *read(start = 0, end = this.bytes): AsyncGenerator<Buffer, void> {
    for (let at = start; at < end;) {
      const { buffer, bytesRead } = await this.handle.read(
        Buffer.alloc(Math.min(chunkBytes, end - at)),
        0,
        undefined,
        at,
      );
      if (bytesRead === 0) throw new Error('the file of the job is damaged');
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}
