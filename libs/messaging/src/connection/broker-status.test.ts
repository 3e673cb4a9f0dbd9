import type { BrokerState } from '../reporting/metrics';
import { BrokerStatus, type SupervisedConnection } from './supervised-connection';

function aConnection() {
  let changed = () => {};
  const connection = {
    state: 'down' as BrokerState,
    onChange: (listener: () => void) => (changed = listener),
    becomes(state: BrokerState) {
      connection.state = state;
      changed();
    },
  };
  return connection;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('announces a reconnect even while the broker blocks publishers, because events may have been missed', async () => {
  const [publishing, consuming] = [aConnection(), aConnection()];
  const connections = [publishing, consuming] as unknown as SupervisedConnection[];
  const status = new BrokerStatus(connections[0]!, connections[1]!, () => {});
  let ups = 0;
  status.onConnected(() => ups++);
  publishing.becomes('up');
  consuming.becomes('up');
  await turn();
  consuming.becomes('down');
  publishing.becomes('blocked');
  await turn();
  expect([status.state, ups]).toEqual(['down', 1]);
  consuming.becomes('up');
  await turn();
  expect([status.state, ups]).toEqual(['blocked', 2]);
});
