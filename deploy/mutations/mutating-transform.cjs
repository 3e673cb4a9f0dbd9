// The Jest transform of the tests, except that it also changes the text of one file before compiling it. MUTATION defines
// the change.
const path = require('node:path');
const { createTransformer } = require('@swc/jest');

const { file, from, to } = JSON.parse(process.env.MUTATION);
const target = path.join(process.cwd(), file);

module.exports = {
  createTransformer(options) {
    const plain = createTransformer(options);
    const mutated = (text, name) => (name === target ? text.replace(from, () => to) : text);
    return {
      ...plain,
      process: (text, name, rest) => plain.process(mutated(text, name), name, rest),
      getCacheKey: (text, name, rest) => plain.getCacheKey(mutated(text, name), name, rest),
    };
  },
};
