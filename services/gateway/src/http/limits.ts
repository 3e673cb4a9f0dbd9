/** Sizes in bytes, as they arrive on the wire. Spec: decisions, section 4 "Limits"; all are settings. */
export interface SizeLimits {
  readonly queryBytesMax: number;
  /** One header, its name and its value. */
  readonly headerBytesMax: number;
  readonly headersBytesMax: number;
  readonly headerCountMax: number;
  readonly bodyBytesMax: number;
  readonly attachmentBytesMax: number;
}

export const defaultSizeLimits: SizeLimits = {
  queryBytesMax: 4 * 1024,
  headerBytesMax: 8 * 1024,
  headersBytesMax: 32 * 1024,
  headerCountMax: 100,
  bodyBytesMax: 2 * 1024 * 1024,
  attachmentBytesMax: 10 * 1024 * 1024,
};

/**
 * What Node's parser takes before it gives up by itself. It lies far above the limits, so that nearly every request that
 * breaks one is parsed and refused with the right status: the parser does not say whether it was a header or the address.
 */
export const parserHeaderBytesMax = 256 * 1024;

/** The longest path: room for every path parameter there is, percent-encoded. */
export const pathBytesMax = 8 * 1024;
