const centre = Buffer.from([0x1b, 0x61, 1]);
const left = Buffer.from([0x1b, 0x61, 0]);
const lineFeed = Buffer.from([0x0a]);
const moduleDots = 5;
/** Model 2 with error correction level M, because codes on thermal paper fade and crease. */
const model2 = [0x41, 50, 0];
const correctionM = [0x45, 49];
const symbolMax = 2_000;

/** `GS ( k`: a function of the printer's two-dimensional symbols, here of QR codes. */
function symbolFunction(parameters: readonly number[], data: Buffer = Buffer.alloc(0)): Buffer {
  const length = 1 + parameters.length + data.length;
  const head = [0x1d, 0x28, 0x6b, length & 0xff, length >> 8, 0x31, ...parameters];
  return Buffer.concat([Buffer.from(head), data]);
}

/** ESC/POS commands that print the QR code of this text on its own line. */
export function qrCode(text: string): Buffer {
  const data = Buffer.from(text).subarray(0, symbolMax);
  return Buffer.concat([
    lineFeed,
    centre,
    symbolFunction(model2),
    symbolFunction([0x43, moduleDots]),
    symbolFunction(correctionM),
    symbolFunction([0x50, 0x30], data),
    symbolFunction([0x51, 0x30]),
    lineFeed,
    left,
  ]);
}
