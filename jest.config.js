/** Tests run on the sources ("source" export condition); processes that tests start run from dist. */
const common = {
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '/.data/'],
  modulePathIgnorePatterns: ['/dist/', '/.data/'],
  transform: { '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } }] },
  moduleNameMapper: { '^fast-check$': '<rootDir>/libs/testing/fast-check.js' },
  testEnvironment: '<rootDir>/libs/testing/jest-environment.js',
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'require', 'default'] },
};

module.exports = {
  // Prevents endless waiting; a busy machine may be twenty times slower than an idle one.
  testTimeout: 300_000 * Number(process.env.TEST_PATIENCE ?? 1),
  testSequencer: '<rootDir>/libs/testing/longest-first.js',
  // Memory left over from earlier test files would slow down later files, and eventually kill the worker.
  workerIdleMemoryLimit: '700MB',
  projects: [
    {
      ...common,
      displayName: 'units',
      testMatch: [
        '<rootDir>/libs/*/src/**/*.test.ts',
        '<rootDir>/services/*/src/**/*.test.ts',
        '<rootDir>/deploy/local/src/**/*.test.ts',
        '<rootDir>/deploy/till-agent/src/**/*.test.ts',
      ],
    },
    {
      ...common,
      displayName: 'e2e',
      testMatch: ['<rootDir>/test-e2e/**/*.test.ts'],
      globalSetup: '<rootDir>/test-e2e/harness/global-setup.ts',
      globalTeardown: '<rootDir>/test-e2e/harness/global-teardown.ts',
    },
  ],
};
