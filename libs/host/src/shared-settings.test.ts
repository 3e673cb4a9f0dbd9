import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSettings } from './settings';
import { operatorSettings, operatorTokens } from './shared-settings';

it('accepts the tokens of operators as the guide writes them into .env', () => {
  const guide = readFileSync(path.resolve(__dirname, '../../../docs/guides/run-in-production.md'), 'utf8');
  const [, value] = /^OPERATOR_TOKENS='(.*)'$/m.exec(guide) ?? [];
  const settings = parseSettings(operatorSettings, { OPERATOR_TOKENS: value });
  expect(Object.keys(operatorTokens(settings))).toEqual(['ann']);
});
