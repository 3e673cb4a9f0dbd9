const { default: TestSequencer } = require('@jest/test-sequencer');

/** Tests that take minutes because they start platforms and brokers, and tests that take some seconds. */
const long = [/\/test-e2e\/(faults\/|start\.test)/, /\/libs\/messaging\/src\/faults\.service\.test/];
const medium = [/\/test-e2e\//, /[./]service\.test/];

const rank = (path) =>
  long.some((file) => file.test(path)) ? 0 : medium.some((file) => file.test(path)) ? 1 : 2;

/**
 * On a fresh checkout, jest has no durations and starts with the largest files. Otherwise, all other workers would wait
 * for a long test that starts last.
 */
module.exports = class LongestFirst extends TestSequencer {
  sort(tests) {
    return super.sort(tests).sort((a, b) => rank(a.path) - rank(b.path));
  }
};
