/** A file that is sent as the answer. It is streamed as fast as the caller reads it, never loaded into memory. */
export interface StoredFile {
  readonly file: string;
  /** Bytes. */
  readonly length: number;
}
