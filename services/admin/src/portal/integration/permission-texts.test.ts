import { permissionTexts } from './permission-texts';

it('explains every permission, each in its own words', () => {
  const texts = permissionTexts.map(({ text }) => text);
  expect(texts).not.toContain('');
  expect(new Set(texts).size).toBe(texts.length);
});
