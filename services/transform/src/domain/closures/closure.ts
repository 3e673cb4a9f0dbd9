/** The state of one evaluation. */
export interface Run {
  readonly root: unknown;
  /** The values of variables, indexed by slot. */
  readonly slots: unknown[];
  /** Called at each step. @throws InterpreterFallback if the evaluation has taken too long. */
  readonly tick: () => void;
}

/**
 * @throws InterpreterFallback or the error of a function: the interpreter then evaluates the expression and reports the
 * error.
 */
export type Closure = (input: unknown, run: Run) => unknown;
