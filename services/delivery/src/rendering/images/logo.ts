import { readLogo } from '@receipts/contracts';

/** An image that e-mails and PDFs contain, because they must not load anything. */
export interface Logo {
  readonly content: Buffer;
  readonly type: 'image/png' | 'image/jpeg';
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

/** Returns the image at a URL; undefined if it cannot be used. Never rejects. */
export type FindLogo = (url: string | null) => Promise<Logo | undefined>;

/** The largest size at which a logo is shown in e-mails and PDFs, in pixels of 1/96 inch. */
const shownMax = { width: 160, height: 56 } as const;

/** The size at which a logo is shown, in pixels of 1/96 inch or another unit. */
export function shownSize(
  { width, height }: Logo,
  unit = 1,
): { readonly width: number; readonly height: number } {
  const scale = Math.min(1, shownMax.width / width, shownMax.height / height);
  const shown = (pixels: number) => Math.max(1, Math.round(pixels * scale)) * unit;
  return { width: shown(width), height: shown(height) };
}

/** Reads an image; undefined if it cannot be used. E-mail programs and the PDF library do not know WebP. */
export function logoOf(content: Buffer): Logo | undefined {
  const image = readLogo(content);
  if (typeof image === 'string') return undefined;
  const { type, width, height } = image;
  return type === 'image/webp' ? undefined : { content, type, width, height };
}
