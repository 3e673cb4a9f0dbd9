import { receiptOf } from '../testing/samples';
import { autoSendOf } from './auto-send';

it.each<[object | undefined, boolean, string]>([
  [undefined, false, 'no'],
  [undefined, true, 'send'],
  [{}, true, 'send'],
  [{ send: true }, false, 'send'],
  [{ send: true }, true, 'send'],
  [{ send: false }, false, 'no'],
  [{ send: false }, true, 'no'],
  [{ send: null }, true, 'send'],
  [{ send: true, block: true }, false, 'blocked'],
  [{ block: true }, true, 'blocked'],
  [{ block: true }, false, 'no'],
  [{ send: false, block: true }, true, 'no'],
  [{ send: true, block: false }, false, 'send'],
])('email_settings %j under auto_send %s: %s', (settings, autoSend, expected) => {
  const properties = settings === undefined ? {} : { email_settings: settings };
  expect(autoSendOf(receiptOf({ properties: properties as never }), { auto_send: autoSend })).toBe(expected);
});
