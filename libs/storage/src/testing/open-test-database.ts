import { silentLog } from '@receipts/kernel';
import { connectDatabase, type Database } from '../connect-database';

type Options = Parameters<typeof connectDatabase>[0];

/** A connection for tests, which logs nothing unless a log is given. */
export const openTestDatabase = (
  options: Pick<Options, 'uri' | 'database'> & Partial<Options>,
): Promise<Database> => connectDatabase({ service: 'test', log: silentLog, ...options });
