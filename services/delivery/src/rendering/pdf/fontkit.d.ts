/** The part of the library's API that is used here; the library has no types. */
declare module 'fontkit' {
  interface FontFormat {
    probe(file: Uint8Array): boolean;
    new (stream: { readonly buffer: Uint8Array }): object;
  }
  export interface Glyph {
    readonly id: number;
    readonly codePoints: readonly number[];
    readonly advanceWidth: number;
  }
  export interface GlyphRun {
    readonly glyphs: Glyph[];
    readonly positions: readonly object[];
    readonly advanceWidth: number;
  }
  export interface Subset {
    readonly glyphs: number[];
    includeGlyph(glyph: number): number;
  }
  export interface Font {
    getGlyph(id: number, codePoints?: readonly number[]): Glyph;
    hasGlyphForCodePoint(codePoint: number): boolean;
    glyphsForString(text: string): Glyph[];
    layout(text: string, features?: object): GlyphRun;
    createSubset(): Subset;
  }
  export function create(file: Uint8Array): Font;
  export function registerFormat(format: FontFormat): void;
}
