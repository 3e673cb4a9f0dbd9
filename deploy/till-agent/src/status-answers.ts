/** The fixed bits of every status byte. The other bits would report errors, and are zero. */
const ready = 0x12;
const paperIsThere = 0x00;
const automaticStatus = Buffer.from([0x10, 0x00, 0x00, 0x00]);
const information = new Map<number, string>([
  [65, '1'],
  [66, 'receipts'],
  [67, 'till-agent'],
  [68, '0'],
]);

function printerInformation(n: number): Buffer {
  if (n < 65) return Buffer.from([n === 1 || n === 49 ? 0x20 : 0x02]);
  return Buffer.from(`_${information.get(n) ?? ''}\0`);
}

/**
 * The response of a printer without errors to a status command, so that a driver does not wait; undefined for a command
 * that only requests later reports. A slip is accepted regardless of the state of the real printer.
 */
export function answerTo(command: Buffer): Buffer | undefined {
  const [introducer, name, n = 0] = command;
  if (introducer === 0x10) return Buffer.from([ready]);
  if (introducer === 0x1b) return Buffer.from([paperIsThere]);
  switch (String.fromCharCode(name ?? 0)) {
    case 'I':
      return printerInformation(n);
    case 'a':
      return n === 0 ? undefined : automaticStatus;
    case '(':
      return Buffer.concat([Buffer.from([0x37, 0x22]), command.subarray(7, 11), Buffer.from([0])]);
    default:
      return Buffer.from([paperIsThere]);
  }
}
