const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

const globalKeys = () => Reflect.ownKeys(globalThis);

/** Restores the previous properties of the global object, with their values. */
function restoreGlobals(before) {
  for (const key of globalKeys()) {
    if (!before.has(key)) delete globalThis[key];
  }
  for (const [key, descriptor] of before) {
    const now = Object.getOwnPropertyDescriptor(globalThis, key);
    const isSame = now !== undefined && now.get === descriptor.get && Object.is(now.value, descriptor.value);
    if (!isSame) Object.defineProperty(globalThis, key, descriptor);
  }
}

/**
 * Runs test files with the global objects of the worker, and restores those afterwards. Jest's own environment gives each
 * file a new JavaScript realm, whose `Error` and `Date` are not those of modules that were loaded outside of it; so
 * all modules would be loaded again for each file. See `jest-runtime.js`.
 */
class SharedRealmEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  /** Jest's legacy timers are not available. */
  fakeTimers = null;
  #exportConditions;
  #globals = new Map(globalKeys().map((key) => [key, Object.getOwnPropertyDescriptor(globalThis, key)]));
  #variables = { ...process.env };
  #exit = Object.getOwnPropertyDescriptor(process, 'exit');
  #isOver = false;

  constructor({ projectConfig }) {
    this.#exportConditions = projectConfig.testEnvironmentOptions.customExportConditions;
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {}

  async teardown() {
    this.#isOver = true;
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    for (const name of Object.keys(process.env)) {
      if (!Object.hasOwn(this.#variables, name)) delete process.env[name];
    }
    Object.assign(process.env, this.#variables);
    // Jest replaces `process.exit` for each file.
    Object.defineProperty(process, 'exit', this.#exit);
    restoreGlobals(this.#globals);
  }

  exportConditions() {
    return this.#exportConditions;
  }

  /** Null once the test file has ended, after which Jest does not load any more modules for it. */
  getVmContext() {
    return this.#isOver ? null : {};
  }
}

module.exports = SharedRealmEnvironment;
