/** Is told whose receipts were changed, after the change. */
export interface ChangeListener {
  noteChange(retailer: string): void;
}
