/**
 * Folders of a package that import each other in a circle cannot be understood separately. This is a configuration of its
 * own, because it leaves out the tests and their tools.
 */
const { options } = require('./.dependency-cruiser.cjs');

module.exports = {
  forbidden: [
    {
      name: 'no-circular-folders',
      comment: 'The files directly under src combine the folders, and may import each of them.',
      severity: 'error',
      scope: 'folder',
      from: { path: '/src/[^/]+' },
      to: { circular: true },
    },
  ],
  options: {
    ...options,
    exclude: { path: '/dist/|\\.test\\.ts$|/testing/|node_modules' },
    metrics: true,
  },
};
