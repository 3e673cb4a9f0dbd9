/** Sizes in bytes, as received (docs/interface.md, "Limits"). */
export interface SizeLimits {
  readonly queryBytesMax: number;
  /** One header: its name and value. */
  readonly headerBytesMax: number;
  readonly headersBytesMax: number;
  readonly headerCountMax: number;
  readonly bodyBytesMax: number;
  readonly attachmentBytesMax: number;
  /** The body of a batch of receipts. */
  readonly batchBytesMax: number;
}

export const defaultSizeLimits: SizeLimits = {
  queryBytesMax: 4 * 1024,
  headerBytesMax: 8 * 1024,
  headersBytesMax: 32 * 1024,
  headerCountMax: 100,
  bodyBytesMax: 2 * 1024 * 1024,
  attachmentBytesMax: 10 * 1024 * 1024,
  batchBytesMax: 8 * 1024 * 1024,
};

/**
 * The limit of Node's parser. It is far above the limits here, so that nearly all requests that exceed one are parsed
 * and rejected with the right status: the parser does not report whether a header or the URL was too long.
 */
export const parserHeaderBytesMax = 256 * 1024;

/**
 * The highest limit of the query string and of the headers: together with the path they stay below the limit of the
 * parser.
 */
export const headBytesMax = 64 * 1024;

/** An attachment is stored with its name and its event in one document, and MongoDB limits documents to 16 MiB. */
export const attachmentBytesMax = 15 * 1024 * 1024;

/** The maximum length of the path: enough for all path parameters, percent-encoded. */
export const pathBytesMax = 8 * 1024;
