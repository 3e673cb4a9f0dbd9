import { type Reward, csvCell, csvTextCell, printCsv } from '@receipts/contracts';

const columns = ['id', 'identifier', 'name', 'claimed', 'value', 'timestamp', 'receipt_timestamp'] as const;

const rowOf = ({ identifier, name, ...reward }: Reward): string[] =>
  columns.map((column) => {
    if (column === 'identifier') return csvTextCell(identifier);
    return column === 'name' ? csvTextCell(name) : csvCell(String(reward[column]));
  });

/** @param isFirst false for the later parts of a list, which have no header */
export const printRewards = (rewards: readonly Reward[], isFirst = true): string =>
  printCsv([...(isFirst ? [columns] : []), ...rewards.map(rowOf)]);
