const { TestEnvironment } = require('jest-environment-node');

/** The classes of what Node's own modules throw and return, such as `fetch`, sockets and the file system. */
const sharedClasses = ['Error', 'TypeError', 'RangeError', 'Date', 'Promise'];

/**
 * Jest's environment for Node, in which tests can listen to the events of the process, and objects of Node's own
 * modules are instances of the classes that tests see. Each test file has its own JavaScript realm, whose `Error` would
 * otherwise not be the one of a failed connection (https://github.com/jestjs/jest/issues/2549).
 */
module.exports = class NodeEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    // Jest copies `process`, and nothing would call the listeners of the copy.
    for (const method of ['on', 'once', 'off', 'removeListener']) {
      this.global.process[method] = process[method].bind(process);
    }
    for (const name of sharedClasses) {
      const [inTests, inNode] = [this.global[name], globalThis[name]];
      Object.defineProperty(inTests, Symbol.hasInstance, {
        // Subclasses inherit this method.
        value(object) {
          return (
            Function.prototype[Symbol.hasInstance].call(this, object) ||
            (this === inTests && object instanceof inNode)
          );
        },
      });
    }
  }
};
