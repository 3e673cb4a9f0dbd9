/** A file that is sent as the response. It is streamed as fast as the caller reads it, and never loaded into memory. */
export interface StoredFile {
  readonly file: string;
  /** Bytes. */
  readonly length: number;
}
