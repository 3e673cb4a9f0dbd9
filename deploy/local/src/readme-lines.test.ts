import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readmeLines } from './readme-lines';

const readme = readFileSync(path.resolve(__dirname, '../../../README.md'), 'utf8');
const lines = (baseUrl: string, dataDir: string) => readmeLines(readme, { baseUrl, dataDir }).join('\n');

it('repeats the commands of README with the address and the data folder of another platform', () => {
  const text = lines('http://127.0.0.1:8081', '.data-2');
  expect(text).toContain(`TOKEN=$(node -p "require('./.data-2/demo-credentials.json').bearer.token")`);
  expect(text).toContain('curl -i http://127.0.0.1:8081/receipts');
  expect(text).toContain('http://127.0.0.1:8081$LOCATION');
  expect(text).not.toMatch(/8080|\.data\//);
});

it('names a data folder elsewhere by its path', () => {
  expect(lines('http://127.0.0.1:8080', '/var/data')).toContain("require('/var/data/demo-credentials.json')");
  expect(lines('http://127.0.0.1:8080', '../data')).toContain("require('../data/demo-credentials.json')");
  expect(lines('http://127.0.0.1:8080', 'data')).toContain("require('./data/demo-credentials.json')");
});

it('repeats nothing if the values of README are right', () => {
  expect(lines('http://127.0.0.1:8080', '.data')).toBe('');
});
