import { readFileSync } from 'node:fs';
import type * as Fontkit from 'fontkit';
import { extractable } from './extractable-font';
import { fontFiles, type FontName, type Weight } from './font-files';

const names = Object.keys(fontFiles) as FontName[];
const weights: readonly Weight[] = ['regular', 'bold'];

/** The fonts of PDFs. Each is parsed once, when it is first needed, and shared by all documents. */
export class Fonts {
  private readonly parsed = new Map<string, Fontkit.Font>();
  /** The values that documents receive as fonts. */
  readonly sources: readonly { readonly name: string; readonly source: Buffer }[];

  constructor(private readonly fontkit: Pick<typeof Fontkit, 'create' | 'registerFormat'>) {
    const open = new Map<Uint8Array, () => Fontkit.Font>();
    this.sources = names.flatMap((font) =>
      weights.map((weight) => {
        const name = `${font}-${weight}`;
        const source = Buffer.from(`font ${name}`);
        open.set(source, () => this.font(font, weight));
        return { name, source };
      }),
    );
    fontkit.registerFormat(
      class {
        static probe(source: Uint8Array): boolean {
          return open.has(source);
        }

        constructor({ buffer }: { readonly buffer: Uint8Array }) {
          return (open.get(buffer) as () => Fontkit.Font)();
        }
      },
    );
  }

  hasGlyph(name: FontName, codePoint: number): boolean {
    return this.font(name, 'regular').hasGlyphForCodePoint(codePoint);
  }

  private font(name: FontName, weight: Weight): Fontkit.Font {
    const file = fontFiles[name][weight];
    const known = this.parsed.get(file);
    if (known) return known;
    const font = extractable(this.fontkit.create(readFileSync(file)));
    this.parsed.set(file, font);
    return font;
  }
}

let fonts: Promise<Fonts> | undefined;

/**
 * By default, every document parses its fonts, which costs far more than writing the document: 180 ms of CPU time for
 * A4, instead of 14 ms. The library is imported in the same way as in pdfkit, so that both share one instance.
 */
export function loadFonts(): Promise<Fonts> {
  fonts ??= import('fontkit').then((fontkit) => new Fonts(fontkit));
  return fonts;
}
