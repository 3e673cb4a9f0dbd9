/** The part of the library's API that is used here; it has no types of its own. */
declare module 'fontkit' {
  interface FontFormat {
    probe(file: Uint8Array): boolean;
    new (stream: { readonly buffer: Uint8Array }): object;
  }
  export function create(file: Uint8Array): object;
  export function registerFormat(format: FontFormat): void;
}
