/** Of a project whose tests are found by its own script. */
export const manifest = { 'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }' };
/** The module that the tests of `small` are about. */
export const sum = 'export const total = (numbers) => numbers.reduce((sum, n) => sum + n, 0);\n';
/** Two tests that pass. */
export const small = {
  ...manifest,
  'src/sums.js': sum,
  'test/sums.test.js': `import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { total } from '../src/sums.js';

describe('total', () => {
  it('adds', () => assert.equal(total([1, 2]), 3));
  it('of nothing is 0', () => assert.equal(total([]), 0));
});
`,
};
/** What every test file of these suites needs. */
export const header =
  "import assert from 'node:assert';\nimport { test, describe, it, before, after, beforeEach } from 'node:test';\n";
