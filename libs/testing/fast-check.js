/**
 * Replaces `fast-check` in tests: it generates the same examples in every run, so that results are reproducible.
 * `PROPERTY_SEED=<number>` generates other examples.
 */
const fc = require('../../node_modules/fast-check/lib/cjs/fast-check.js');

fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 20_261_122) });
module.exports = fc;
