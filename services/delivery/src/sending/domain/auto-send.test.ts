import { receiptOf } from '../../testing/samples';
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
  expect(autoSendOf('email', receiptOf({ properties: properties as never }), { auto_send: autoSend })).toBe(
    expected,
  );
});

it.each<[unknown, string]>([
  [undefined, 'no'],
  [{}, 'no'],
  [{ whatsapp: { send: true } }, 'no'],
  [{ sms: { send: true } }, 'send'],
  [{ sms: { send: true, block: true } }, 'blocked'],
  [{ sms: { send: 'yes' } }, 'no'],
  [{ sms: null }, 'no'],
])('messaging_settings %j: %s by SMS, regardless of auto_send', (settings, expected) => {
  const properties = settings === undefined ? {} : { messaging_settings: settings };
  for (const auto_send of [true, false]) {
    expect(autoSendOf('sms', receiptOf({ properties: properties as never }), { auto_send })).toBe(expected);
  }
});
