import { integratorEvents } from '@receipts/contracts';
import { languageIn } from '../../pages/language';
import { eventText } from './webhooks';

it('explains every event type, each in its own words', () => {
  const texts = integratorEvents.map(({ type }) => eventText(type, languageIn('de')) ?? type);
  expect(texts.filter((text) => !text.includes(' '))).toEqual([]);
  expect(new Set(texts).size).toBe(integratorEvents.length);
});
