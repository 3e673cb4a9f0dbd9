/** A document with its number in its retailer's order of arrival. No lower number can appear later. */
export interface NumberedDocument {
  readonly retailer: string;
  readonly arrival: number;
}
