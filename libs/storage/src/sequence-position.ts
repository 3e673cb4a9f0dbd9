/** The position of a document in its retailer's order of arrival. No lower number can appear later. */
export interface SequencePosition {
  readonly retailer: string;
  readonly seq: number;
  readonly at: Date;
}
