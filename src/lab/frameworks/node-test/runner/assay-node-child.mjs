/**
 * The runner's part in the process of one test file: listens to node:test's events and reports them to the runner
 * over a descriptor of its own, so that nothing the tests print can be taken for a result.
 */
import { AsyncResource } from 'node:async_hooks';
import { readSync } from 'node:fs';
import { after, before } from 'node:test';
import { assertWhatIsRight, assertWhatIsWrong, declarers } from './assay-node-canaries.mjs';
import { openSender } from './assay-node-channel.mjs';
import { clip, failureOf } from './assay-node-failure.mjs';
import { listen } from './assay-node-reporter.mjs';
import { TestTree } from './assay-node-tree.mjs';

export async function attach() {
  const fd = Number(process.env.ASSAY_FILE_FD);
  delete process.env.ASSAY_FILE_FD;
  const config = readLine(fd);
  const channel = openSender({ fd, nonce: config.nonce });
  dressUp(config);

  const canaries = new Canaries(config, channel);
  const tree = new TestTree({
    send: channel.send,
    canaries,
    places: config.places,
    entry: config.file,
    collect: config.mode === 'collect',
  });
  const ending = watchEnding(channel, tree, canaries, config);
  const taken = listen({
    event: (event) => ending.guard(() => tree.event(event, ending)),
    end: () => ending.guard(() => ending.streamEnded()),
  });

  // Hooks of the root make node:test set itself up now, its reporter included: what the project does to the
  // environment or to node:test later comes too late.
  if (config.mode === 'collect') {
    // A failing `before` of the root keeps every body from running, while every test is still reported by name.
    before(() => {
      throw new Error('assay collects only');
    });
  } else after(() => canaries.run());
  const hold = setInterval(() => {}, 1000);
  await taken;
  clearInterval(hold);
}

/** The configuration: one line, written by the runner before anything else is. */
function readLine(fd) {
  const chunks = [];
  const byte = Buffer.alloc(1);
  while (readSync(fd, byte) === 1 && byte[0] !== 0x0a) chunks.push(byte[0]);
  return JSON.parse(Buffer.from(chunks).toString('utf8'));
}

/** Makes the process look like the one that `node --test` would have made. */
function dressUp(config) {
  // Any other value than the two that node itself knows keeps our reporter, and makes `only` and `run()` behave.
  process.env.NODE_TEST_CONTEXT = 'child-assay';
  process.env.NODE_TEST_WORKER_ID = String(config.worker);
  if (config.nodeOptions !== '') process.env.NODE_OPTIONS = config.nodeOptions;
  // fork() hands these on: what the runner added is not for grandchildren.
  process.execArgv.splice(0, config.ownArguments);
  Error.stackTraceLimit = Math.max(Error.stackTraceLimit, 100);
}

/** Runs at the end of the file's tests, in the same process, with what the project may have done to it. */
class Canaries {
  #config;
  #channel;
  #outside = new AsyncResource('assay');
  /** Names of the tests of ours that are still to come out, by what they check. */
  #pending = new Map();

  constructor(config, channel) {
    this.#config = config;
    this.#channel = channel;
  }

  get finished() {
    return this.started && this.#pending.size === 0;
  }

  started = false;

  async run() {
    this.started = true;
    // A filter on names would leave our tests out: then only the assertions can be checked.
    if (this.#config.filtered) return this.#withoutHarness();
    const runs = [];
    for (const [number, declare] of [...declarers()].entries()) {
      const tag = `assay ${this.#config.tag} ${number}`;
      this.#pending.set(`${tag} wrong`, 'wrong').set(`${tag} right`, 'right');
      // `todo`: failing is the duty of one of them, and must not become the exit code of the project.
      const options = { todo: true, ...(this.#config.only ? { only: true } : {}) };
      // Outside of this hook's own context, or the tests would be the hook's.
      this.#outside.runInAsyncScope(() => {
        runs.push(
          declare(`${tag} wrong`, options, async (t) => {
            this.missed = await assertWhatIsWrong(t);
          }),
          declare(`${tag} right`, options, (t) => assertWhatIsRight(t)),
        );
      });
    }
    // With --test-force-exit node does not wait for tests that were declared this late.
    await Promise.all(runs);
  }

  async #withoutHarness() {
    const wrong = await assertWhatIsWrong().then(
      (missed) => ({ outcome: 'passed', detail: missed }),
      (error) => ({ outcome: 'failed', detail: String(error) }),
    );
    const right = await assertWhatIsRight().then(
      () => ({ outcome: 'passed', detail: '' }),
      (error) => ({ outcome: 'failed', detail: String(error) }),
    );
    this.#channel.send('canary', { id: 'wrong', ...wrong });
    this.#channel.send('canary', { id: 'right', ...right });
  }

  /** True for an event of one of our own tests: it is no test of the project. */
  owns(name) {
    return this.#pending.has(name);
  }

  result(name, passed, error) {
    const id = this.#pending.get(name);
    this.#pending.delete(name);
    const detail = passed && id === 'wrong' ? (this.missed ?? 'its body was never run') : String(error ?? '');
    this.#channel.send('canary', { id, outcome: passed ? 'passed' : 'failed', detail: clip(detail, 2000) });
  }
}

/** Tells the runner how the process ended, and of errors that belong to no test. */
function watchEnding(channel, tree, canaries, config) {
  let lastUncaught = null;
  let ended = false;
  process.on('uncaughtExceptionMonitor', (error) => {
    lastUncaught = { error };
    // At once: when node:test itself throws on, the process ends without an `exit` event.
    channel.send('uncaught', { problem: failureOf(error, config.places) });
  });
  process.on('exit', (code) => {
    if (ended) return;
    // Nothing more can come: where all that was declared was reported, only the process was in a hurry.
    const complete = config.mode !== 'collect' && tree.complete && canaries.finished;
    channel.send('exit', { code, complete });
  });
  return {
    guard(action) {
      try {
        action();
      } catch (error) {
        channel.send('problem', { problem: failureOf(error, config.places) });
      }
    },
    /** A warning of node:test about an error that came outside of any running test. */
    stray(message) {
      const known = lastUncaught !== null && message.includes(`"${lastUncaught.error}"`);
      const problem = known ? failureOf(lastUncaught.error, config.places) : null;
      channel.send('problem', { problem: problem ?? { type: '', message, trace: message, frames: [] } });
    },
    streamEnded() {
      ended = true;
      channel.send('done', { topLevel: tree.topLevel });
      channel.end(0);
    },
  };
}
