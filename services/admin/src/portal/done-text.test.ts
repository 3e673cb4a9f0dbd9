import { languageIn } from '../pages/language';
import { doneText } from './done-text';

it.each([
  ['sent', 'The receipt is being sent.'],
  ['other', undefined],
  [undefined, undefined],
  // Anybody can put the name of an inherited property into an address.
  ['constructor', undefined],
])('shows for %p: %p', (done, text) => {
  const shown = doneText({ sent: 'receipt.sent' }, done, languageIn('en'));
  expect(shown).toBe(text);
});
