/** Counts the turns that the event loop gives to other work from now on. */
export function countTurns(): () => number {
  let turns = 0;
  const take = () => {
    turns++;
    setImmediate(take).unref();
  };
  setImmediate(take).unref();
  return () => turns;
}

/** Adds up the work in each turn of the event loop from now on. */
export function countByTurn() {
  const turn = countTurns();
  const done = new Map<number, number>();
  return {
    add: (amount: number) => void done.set(turn(), (done.get(turn()) ?? 0) + amount),
    /** A sum for each turn with work, in order. */
    sums: () => [...done.values()],
  };
}
