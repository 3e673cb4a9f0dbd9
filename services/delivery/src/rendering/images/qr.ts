import { create, toBuffer, toString } from 'qrcode';

const options = { errorCorrectionLevel: 'M', margin: 2 } as const;

export function qrSvg(text: string): Promise<string> {
  return toString(text, { ...options, type: 'svg' });
}

/**
 * The code that a fiscal device has signed. A long one has less error correction; one that is too long for any code is
 * undefined.
 */
function codeOf(text: string) {
  for (const errorCorrectionLevel of ['M', 'L'] as const) {
    try {
      return { errorCorrectionLevel, modules: create(text, { errorCorrectionLevel }).modules };
    } catch {
      // The next level has room for more.
    }
  }
  return undefined;
}

const quietModules = 4;

/** The code of a fiscal device as inline SVG; undefined if it is too long for a QR code. */
export function fiscalQrSvg(text: string): string | undefined {
  const modules = codeOf(text)?.modules;
  if (!modules) return undefined;
  const side = modules.size + 2 * quietModules;
  let path = '';
  for (let row = 0; row < modules.size; row++) {
    for (let column = 0; column < modules.size; column++) {
      if (modules.get(row, column)) path += `M${column + quietModules} ${row + quietModules}h1v1h-1z`;
    }
  }
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges">` +
    `<path fill="#ffffff" d="M0 0h${side}v${side}H0z"/><path d="${path}"/></svg>`
  );
}

/** Whether a text fits into a QR code. */
export const fitsQr = (text: string): boolean => codeOf(text) !== undefined;

const pixels = 480;

export function qrPng(text: string): Promise<Buffer> {
  return toBuffer(text, {
    ...options,
    errorCorrectionLevel: codeOf(text)?.errorCorrectionLevel ?? 'M',
    type: 'png',
    width: pixels,
  });
}

/** Draws a QR code into a PDF, as squares that overlap slightly, so that no gaps are visible between them. */
export function drawQr(
  doc: PDFKit.PDFDocument,
  address: string,
  { left, top, side }: { readonly left: number; readonly top: number; readonly side: number },
): void {
  const modules = codeOf(address)?.modules;
  if (!modules) return;
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
