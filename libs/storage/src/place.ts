/**
 * The position of a document in its retailer's order of arrival. All lower numbers have already been
 * assigned.
 */
export interface Place {
  readonly retailer: string;
  readonly seq: number;
  readonly at: Date;
}
