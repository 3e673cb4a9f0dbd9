import { Script, createContext } from 'node:vm';
import { MongoError } from '../errors';

const context = createContext({ matches: () => false });
const script = new Script('matches()');

/**
 * Runs a regular-expression match that may take a long time. A watchdog thread, which costs about 60 µs per match,
 * interrupts the engine after `timeoutMs`. Throws code 50 in that case, or if the engine runs out of memory.
 */
export function withinTime(timeoutMs: number, matches: () => boolean): boolean {
  context['matches'] = matches;
  try {
    return script.runInContext(context, { timeout: timeoutMs }) as boolean;
  } catch (error) {
    const { code, name } = error as { code?: string; name?: string };
    if (code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT' && name !== 'RangeError') throw error;
    throw new MongoError(
      50,
      'operation exceeded time limit: a regular expression took too long on one value',
    );
  } finally {
    context['matches'] = undefined;
  }
}
