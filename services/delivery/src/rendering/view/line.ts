/** A line of a receipt with an amount, as it is shown. */
export interface Line {
  readonly label: string;
  readonly amount: string;
}
