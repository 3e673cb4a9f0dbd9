import { create, toBuffer, toString } from 'qrcode';

const options = { errorCorrectionLevel: 'M', margin: 2 } as const;

export function qrSvg(text: string): Promise<string> {
  return toString(text, { ...options, type: 'svg' });
}

const pixels = 480;

export function qrPng(text: string): Promise<Buffer> {
  return toBuffer(text, { ...options, type: 'png', width: pixels });
}

/** Draws a QR code into a PDF, as squares that overlap slightly, so that no gaps are visible between them. */
export function drawQr(
  doc: PDFKit.PDFDocument,
  address: string,
  { left, top, side }: { readonly left: number; readonly top: number; readonly side: number },
): void {
  const { modules } = create(address, { errorCorrectionLevel: 'M' });
  const cell = side / modules.size;
  doc.fillColor('#000');
  for (let row = 0; row < modules.size; row++) {
    for (let column = 0; column < modules.size; column++) {
      if (modules.get(row, column))
        doc.rect(left + column * cell, top + row * cell, cell + 0.05, cell + 0.05);
    }
  }
  doc.fill();
}
