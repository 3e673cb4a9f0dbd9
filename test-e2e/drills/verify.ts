import { verifyingStages } from './all-stages';
import { FaultTable, shortExtent } from './fault-table';

/** Runs the short drills on the servers that `TEST_AMQP_URL` and `TEST_MONGODB_URI` name. */
export async function runShortDrills(say: (line: string) => void): Promise<FaultTable['results']> {
  const table = new FaultTable(say, shortExtent);
  for (const stage of verifyingStages()) await table.add(stage);
  table.close();
  return table.results;
}
