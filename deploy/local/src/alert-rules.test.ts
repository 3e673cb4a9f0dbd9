import { spawnSync } from 'node:child_process';
import path from 'node:path';

const folder = path.resolve(__dirname, '../../observability');
const promtool = (...args: string[]) => spawnSync('promtool', args, { cwd: folder, encoding: 'utf8' });
const isInstalled = promtool('--version').error === undefined;
const describeRules = isInstalled ? describe : describe.skip;

describeRules(
  isInstalled ? 'the alert rules' : 'the alert rules: skipped, since there is no promtool',
  () => {
    it.each([
      ['are valid', ['check', 'rules', 'alerts.yml']],
      ['fire in the described cases', ['test', 'rules', 'alerts.test.yml']],
    ])('%s', (_title, args) => {
      const { status, stdout, stderr } = promtool(...args);
      expect([status, `${stdout}${stderr}`]).toEqual([0, expect.stringContaining('SUCCESS')]);
    });
  },
);
