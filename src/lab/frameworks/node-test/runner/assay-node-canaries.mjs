/**
 * What must hold of node:assert and node:test at the end of a test file, if a green result is to mean anything.
 * Everything is looked up anew when it is used: it is the state that the project's tests have seen that counts.
 */
import assert, * as assertNamespace from 'node:assert';
import * as strictNamespace from 'node:assert/strict';
import test, * as testNamespace from 'node:test';

const wrong = {
  ok: (check) => check(0),
  equal: (check) => check(1, 2),
  strictEqual: (check) => check(1, 2),
  deepEqual: (check) => check({ a: [1] }, { a: [2] }),
  deepStrictEqual: (check) => check({ a: [1] }, { a: [2] }),
  notEqual: (check) => check(1, 1),
  notStrictEqual: (check) => check(1, 1),
  notDeepEqual: (check) => check({ a: 1 }, { a: 1 }),
  notDeepStrictEqual: (check) => check({ a: 1 }, { a: 1 }),
  match: (check) => check('a', /b/),
  doesNotMatch: (check) => check('a', /a/),
  throws: (check) => check(() => {}),
  doesNotThrow: (check) => check(raise),
  rejects: (check) => check(Promise.resolve(1)),
  doesNotReject: (check) => check(Promise.reject(new Error('canary'))),
  fail: (check) => check('canary'),
  ifError: (check) => check(new Error('canary')),
};

const right = {
  ok: (check) => check(1),
  equal: (check) => check(1, 1),
  strictEqual: (check) => check(1, 1),
  deepEqual: (check) => check({ a: [1] }, { a: [1] }),
  deepStrictEqual: (check) => check({ a: [1] }, { a: [1] }),
  notEqual: (check) => check(1, 2),
  match: (check) => check('a', /a/),
  throws: (check) => check(raise),
  rejects: (check) => check(Promise.reject(new Error('canary'))),
};

function raise() {
  throw new Error('canary');
}

/** Every object through which a test may have reached an assertion, by the name to give in a message. */
function faces(context) {
  return {
    'node:assert': assert,
    'node:assert/strict': assert.strict,
    'the names of node:assert': assertNamespace,
    'the names of node:assert/strict': strictNamespace,
    ...(context?.assert === undefined ? {} : { 't.assert': context.assert }),
  };
}

/** Rejects with the AssertionError that every wrong assertion must raise; resolves with the name of one that did not. */
export async function assertWhatIsWrong(context) {
  let last = new Error('no assertion was tried');
  for (const [face, owner] of Object.entries(faces(context))) {
    for (const [name, call] of Object.entries(wrong)) {
      if (typeof owner[name] !== 'function') continue;
      try {
        await call((...args) => owner[name](...args));
        return `${face}: ${name} lets through what is wrong`;
      } catch (error) {
        last = error;
      }
    }
    const bare = typeof owner === 'function' ? owner : owner.default;
    if (bare === undefined) continue;
    try {
      bare(false);
      return `${face}: assert(false) lets through what is wrong`;
    } catch (error) {
      last = error;
    }
  }
  throw last;
}

/** Rejects where an assertion refuses what is right. */
export async function assertWhatIsRight(context) {
  for (const owner of Object.values(faces(context))) {
    for (const [name, call] of Object.entries(right)) {
      if (typeof owner[name] === 'function') await call((...args) => owner[name](...args));
    }
  }
}

/** Every function by which a file may have declared its tests. */
export function declarers() {
  return new Set([test, test.test, test.it, testNamespace.default, testNamespace.test, testNamespace.it]);
}
