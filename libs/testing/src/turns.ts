/** Counts the turns that the event loop gives to others from now on. */
export function countTurns(): () => number {
  let turns = 0;
  const take = () => {
    turns++;
    setImmediate(take).unref();
  };
  setImmediate(take).unref();
  return () => turns;
}
