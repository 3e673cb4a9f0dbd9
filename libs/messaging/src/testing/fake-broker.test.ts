import { brokerCases } from '../../test/broker-cases';
import { FakeBroker } from './fake-broker';

const broker = new FakeBroker();

brokerCases(() => ({ owning: broker, asking: broker, another: () => Promise.resolve(new FakeBroker()) }));
