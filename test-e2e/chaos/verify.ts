import { FaultReport, shortExtent } from './fault-report';
import type { Print } from './scenario';
import { verifyingScenarios } from './scenarios';

/** Runs the short faults on the servers that `TEST_AMQP_URL` and `TEST_MONGODB_URI` name. */
export async function runShortFaults(print: Print): Promise<FaultReport['results']> {
  const report = new FaultReport(print, shortExtent);
  for (const scenario of verifyingScenarios()) await report.add(scenario);
  report.close();
  return report.results;
}
