import { toBuffer, toString } from 'qrcode';

const options = { errorCorrectionLevel: 'M', margin: 2 } as const;

export function qrSvg(text: string): Promise<string> {
  return toString(text, { ...options, type: 'svg' });
}

const pixels = 480;

export function qrPng(text: string): Promise<Buffer> {
  return toBuffer(text, { ...options, type: 'png', width: pixels });
}
