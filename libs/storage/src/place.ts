/** A document's place in the order of arrival of its retailer, which has no gaps that could still be filled. */
export interface Place {
  readonly retailer: string;
  readonly seq: number;
  readonly at: Date;
}
