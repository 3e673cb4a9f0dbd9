/**
 * What tests get as `fast-check`: it draws the same examples in every run, so that a red run is red again and a
 * green one stays green. `PROPERTY_SEED=<number>` draws others.
 */
const fc = require('../../node_modules/fast-check/lib/cjs/fast-check.js');

fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 20_261_122) });
module.exports = fc;
