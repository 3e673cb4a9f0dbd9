import { Webhook } from 'standardwebhooks';
import { messageBody, messageHeaders } from './message';

const event = {
  id: '6650d1c2a4b8e9f012345678',
  type: 'receipt.created',
  time: '2026-05-17T10:00:00.500Z',
  data: { id: 'r1', total: 12.4, receipt: { id: 'r1', items: [] } },
};
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const older = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;

it('has type, timestamp and data, in full or thin', () => {
  const { type, data } = event;
  const timestamp = '2026-05-17T10:00:00.500+00:00';
  expect(JSON.parse(messageBody(event, 'full'))).toEqual({ type, timestamp, data });
  expect(JSON.parse(messageBody(event, 'thin'))).toEqual({
    type,
    timestamp,
    data: { id: 'r1', total: 12.4 },
  });
  expect(JSON.parse(messageBody({ ...event, data: null }, 'thin'))).toMatchObject({ data: null });
});

it('can be verified by the standard’s library, with either secret of a rotation', () => {
  const body = messageBody(event, 'full');
  const headers = messageHeaders(event.id, body, [secret, older], new Date());
  for (const known of [secret, older]) {
    expect(new Webhook(known).verify(body, headers)).toEqual(JSON.parse(body));
  }
  const stranger = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
  expect(() => new Webhook(stranger).verify(body, headers)).toThrow();
  expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow();
});

it('is rejected five minutes after it was captured', () => {
  const body = messageBody(event, 'thin');
  const headers = messageHeaders(event.id, body, [secret], new Date(Date.now() - 301_000));
  expect(() => new Webhook(secret).verify(body, headers)).toThrow('timestamp');
});
