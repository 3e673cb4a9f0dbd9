import { crc32 } from 'node:zlib';

const version = 20;
/** Names are UTF-8. */
const flags = 0x0800;
/** 1 January 1980, the first date that the format can express: the archive depends on its files only. */
const date = 0x21;

/** The fields that a file's header and its entry in the directory share. */
function description(name: Buffer, content: Buffer): Buffer {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(version, 0);
  fields.writeUInt16LE(flags, 2);
  fields.writeUInt16LE(date, 8);
  fields.writeUInt32LE(crc32(content), 10);
  fields.writeUInt32LE(content.length, 14);
  fields.writeUInt32LE(content.length, 18);
  fields.writeUInt16LE(name.length, 22);
  return fields;
}

/** A ZIP archive of small files, which are not compressed (APPNOTE.TXT, 4.3). */
export function zipOf(files: ReadonlyMap<string, Buffer>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [text, content] of files) {
    const name = Buffer.from(text);
    const fields = description(name, content);
    const part = Buffer.concat([Buffer.from('PK\x03\x04'), fields, name, content]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02'), Buffer.from([version, 0]), fields, place, name);
    parts.push(part);
    offset += part.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(files.size, 8);
  end.writeUInt16LE(files.size, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, listed, end]);
}
