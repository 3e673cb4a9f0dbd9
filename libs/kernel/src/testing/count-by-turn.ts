/**
 * Adds up the work in each turn of the event loop from now on. The kernel's tests do not depend on any other library.
 */
export function countByTurn() {
  let turn = 0;
  const next = () => {
    turn++;
    setImmediate(next).unref();
  };
  setImmediate(next).unref();
  const done = new Map<number, number>();
  return {
    add: (amount: number) => void done.set(turn, (done.get(turn) ?? 0) + amount),
    /** A sum for each turn with work, in order. */
    sums: () => [...done.values()],
  };
}
