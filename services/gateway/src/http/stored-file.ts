/** A file of ours that is answered with: read in pieces, as fast as its reader takes them, and never held. */
export interface StoredFile {
  readonly file: string;
  /** Bytes. */
  readonly length: number;
}
