/**
 * Turns node:test's events into one record per test. Suites (`describe`) only give names to what is in them; what a
 * test starts with `t.test` is a part of that test, as a sub-test is in other frameworks: its failure is the test's.
 */
import { clip, failureOf, placeOf } from './assay-node-failure.mjs';

export class TestTree {
  #options;
  /** Open suites and tests, outermost first: `{ name, kind, waiting }`. */
  #open = [];
  /** What the events announce a test to be, where this version of node says so. */
  #kinds = new Map();
  #announced = 0;
  topLevel = 0;

  constructor(options) {
    this.#options = options;
  }

  /** Everything declared at the top level so far has come out. */
  get complete() {
    return this.topLevel > 0 && this.topLevel === this.#announced;
  }

  event({ type, data }, ending) {
    if (data.nesting === 0 && this.#options.canaries.owns(data.name)) {
      if (type === 'test:pass' || type === 'test:fail') {
        const error = data.details.error?.cause ?? data.details.error;
        this.#options.canaries.result(data.name, type === 'test:pass', error);
      }
      return;
    }
    switch (type) {
      case 'test:enqueue':
        if (data.nesting === 0) this.#announced += 1;
        if (data.type !== undefined) this.#kinds.set(keyOf(data), data.type);
        break;
      case 'test:start':
        this.#start(data);
        break;
      case 'test:pass':
      case 'test:fail':
        this.#finish(data, type === 'test:pass');
        break;
      case 'test:diagnostic':
        if (data.nesting === 0) this.#diagnostic(data.message, ending);
        break;
    }
  }

  #start(data) {
    this.#open.length = data.nesting;
    this.#open.push({ name: data.name, kind: this.#kinds.get(keyOf(data)) ?? null, waiting: [] });
  }

  #finish(data, passed) {
    const node = this.#open[data.nesting];
    // A failing `after` hook of the file is reported as a test that never started.
    if (node === undefined || node.name !== data.name) return this.#problem(data);
    if (data.nesting === 0) this.topLevel += 1;
    const path = this.#open.slice(0, data.nesting + 1).map(({ name }) => name);
    this.#open.length = data.nesting;
    if ((data.details.type ?? node.kind) === 'suite') {
      for (const result of node.waiting) this.#put(result, data.nesting);
      if (!passed && isItsOwn(data.details.error)) this.#problem(data);
      return;
    }
    this.#put(this.#result(data, passed, path, node.waiting), data.nesting);
  }

  /** Sends a result when everything around it is known to be a suite; else it waits for what is around it to finish. */
  #put(result, nesting) {
    const around = this.#open.slice(0, nesting);
    if (around.every(({ kind }) => kind === 'suite')) this.#options.send('test', result);
    else around.at(-1).waiting.push(result);
  }

  #result(data, passed, path, parts) {
    const { error } = data.details;
    const failed = passed ? null : this.#failure(error, parts);
    const { file } = data.file === undefined ? { file: null } : placeOf(data.file, this.#options.places);
    return {
      path,
      line: file === this.#options.entry ? data.line : null,
      status: statusOf(data, passed, error),
      durationMs: Math.max(0, data.details.duration_ms ?? 0),
      failure: failed,
      skipReason: reasonOf(data),
    };
  }

  #failure(error, parts) {
    const broken = parts.filter(({ failure }) => failure !== null);
    if (error?.failureType !== 'subtestsFailed' || broken.length === 0) {
      const failure = failureOf(causeOf(error), this.#options.places);
      return error?.failureType === 'testTimeoutFailure' ? { ...failure, type: 'TestHung' } : failure;
    }
    const [first] = broken;
    const name = ({ path }) => path.slice(this.#open.length + 1).join(' > ');
    return {
      ...first.failure,
      message: `${name(first)}: ${first.failure.message}`,
      trace: clip(broken.map((part) => `${name(part)}:\n${part.failure.trace}`).join('\n\n'), 256 * 1024),
    };
  }

  #problem(data) {
    // Collecting makes every hook of the root fail: that is no news.
    if (this.#options.collect && data.details.error?.failureType === 'hookFailed') return;
    this.#options.send('problem', { problem: failureOf(causeOf(data.details.error), this.#options.places) });
  }

  #diagnostic(message, ending) {
    if (/generated asynchronous activity after the test ended/.test(message)) ending.stray(message);
  }
}

function keyOf({ nesting, name, file, line, column }) {
  return [nesting, name, file, line, column].join('\0');
}

/** What the project threw; for what node:test itself has to say (a time limit, a cancelled test) its own error. */
function causeOf(error) {
  return error?.code === 'ERR_TEST_FAILURE' && (thrown.has(error.failureType) || error.cause instanceof Error)
    ? error.cause
    : error;
}

const thrown = new Set(['testCodeFailure', 'hookFailed', 'uncaughtException', 'unhandledRejection']);

/** A suite fails with its tests; only what is wrong with the suite itself is news. */
function isItsOwn(error) {
  return error?.failureType !== 'subtestsFailed';
}

function statusOf(data, passed, error) {
  if (data.skip !== undefined && data.skip !== false) return 'skipped';
  if (data.todo !== undefined && data.todo !== false) return passed ? 'xpassed' : 'xfailed';
  if (data.expectFailure !== undefined && data.expectFailure !== false) return passed ? 'xfailed' : 'failed';
  if (passed) return 'passed';
  const own = [
    'testCodeFailure',
    'subtestsFailed',
    'uncaughtException',
    'unhandledRejection',
    'testTimeoutFailure',
  ];
  return own.includes(error?.failureType) ? 'failed' : 'error';
}

function reasonOf({ skip, todo, expectFailure }) {
  const given = skip ?? todo ?? expectFailure;
  return typeof given === 'string' ? given : null;
}
