import type { Clock, Proposed, RepairSpec, Report, TestResult, Usage } from '../core/index.ts';
import { noUsage } from './budget.ts';
import type { Inbox, Journal, Message } from './drive.ts';
import type { ApplyOutcome, Confirmation, RepairEffects } from './repair-effects.ts';

/** A clock that moves only when told to. */
export function fakeClock(): Clock & { advance(ms: number): void } {
  let elapsedMs = 0;
  return {
    monotonicMs: () => elapsedMs,
    now: () => new Date(Date.UTC(2026, 0, 1) + elapsedMs),
    advance(ms) {
      elapsedMs += ms;
    },
  };
}

/** A journal in memory. */
export function memoryJournal<E>(): Journal<E> & { readonly events: E[]; readonly synced: boolean[] } {
  const events: E[] = [];
  const synced: boolean[] = [];
  return {
    events,
    synced,
    async append(event, { sync }) {
      // As a real journal would give it back, so that nothing that JSON loses can be relied upon.
      events.push(JSON.parse(JSON.stringify(event)) as E);
      synced.push(sync);
    },
  };
}

/** An inbox that is filled by `put`. */
export function memoryInbox(): Inbox & { put(message: Message): void } {
  let messages: Message[] = [];
  let wake: (() => void)[] = [];
  return {
    put(message) {
      messages.push(message);
      for (const resolve of wake) resolve();
      wake = [];
    },
    take() {
      const taken = messages;
      messages = [];
      return taken;
    },
    wait(signal) {
      if (messages.length > 0) return Promise.resolve();
      return new Promise((resolve, reject) => {
        wake.push(resolve);
        const abort = () => reject(signal.reason);
        if (signal.aborted) abort();
        else signal.addEventListener('abort', abort, { once: true });
      });
    },
  };
}

export function madeSpec(options: Partial<RepairSpec> = {}): RepairSpec {
  return {
    kind: 'fix',
    dir: '/project',
    framework: null,
    testCommand: null,
    task: null,
    proposer: 'scripted',
    limits: { rounds: 5, tokens: null, costUsd: null, wallMs: 600_000, candidates: null },
    testTimeoutMs: null,
    protect: [],
    holdout: [],
    setup: null,
    trustCollected: false,
    seed: 1,
    ...options,
  };
}

/** One test of a made report; a failing one has the message given. */
export function madeTest(id: string, message?: string): TestResult {
  const [file = id] = id.split('::');
  const failing = message !== undefined;
  const frames = [{ file: 'src/a.py', line: 3, function: 'f', inProject: true }];
  const failure = { type: 'AssertionError', message: message ?? '', trace: `E ${message}`, frames };
  return {
    id,
    file,
    line: 1,
    status: failing ? 'failed' : 'passed',
    durationMs: 1,
    failure: failing ? failure : null,
    skipReason: null,
    stdout: '',
    stderr: '',
  };
}

/** A whole report from ids that pass and ids that fail with a message each. */
export function madeReport(
  options: { passing?: string[]; failing?: Record<string, string> } & Partial<Report> = {},
): Report {
  const { passing = [], failing = {}, ...others } = options;
  const failed = Object.entries(failing).map(([id, message]) => madeTest(id, message));
  const tests = [...failed, ...passing.map((id) => madeTest(id))];
  const red = failed.length > 0;
  return {
    schema: 'assay-report/1',
    verdict: red ? 'failed' : 'passed',
    reason: red ? `${failed.length} of ${tests.length} tests fail` : 'every expected test passed',
    framework: 'pytest',
    judge: 'hardened',
    command: ['pytest'],
    summary: { total: tests.length, passed: passing.length, failed: failed.length, skipped: 0 },
    tests,
    problems: [],
    integrity: {
      expected: 'collected',
      missing: [],
      extra: [],
      duplicates: [],
      newlySkipped: [],
      completed: true,
      canaries: true,
      changedFiles: [],
      irregularities: [],
      forgeable: true,
    },
    exit: { reason: 'exited', code: red ? 1 : 0, signal: null },
    output: { stdout: '', stderr: '', truncated: false },
    startedAt: '2026-01-01T00:00:00.000Z',
    usage: { wallMs: 100, cpuMs: null, memoryPeakBytes: null, pidsPeak: null },
    enforcement: {
      isolation: 'none',
      hostUid: null,
      network: 'unknown',
      nestedNamespaces: 'none',
      seccomp: false,
      memory: 'none',
      oomCounter: false,
      pids: 'none',
      cpu: 'none',
      disk: 'none',
      killAll: 'none',
      notes: ['made for a test: nothing ran'],
    },
    warnings: [],
    ...others,
  };
}

/** A proposal that replaces `a` by `text` in one file; different texts are different patches. */
export function madeProposal(
  text: string,
  options: { alternatives?: string[]; usage?: Partial<Usage> } = {},
): Extract<Proposed, { kind: 'proposal' }> {
  const one = (replace: string) => ({
    motivation: `say ${replace}`,
    edits: [{ op: 'replace' as const, path: 'src/a.py', search: 'a', replace }],
  });
  return {
    kind: 'proposal',
    ...one(text),
    alternatives: (options.alternatives ?? []).map(one),
    usage: { ...noUsage, ...options.usage },
  };
}

/** The answers fake effects give, in order; the last one of a list is given again and again. */
export type EffectsScript = {
  baseline: Report[];
  propose: Proposed[];
  /** Default: every patch applies, and its diff and digest are made of its edits. */
  apply?: (edits: string) => ApplyOutcome | null;
  test?: Report[];
  confirm?: Confirmation[];
  /** Called before each effect; may throw or advance a clock. */
  before?: (kind: 'baseline' | 'propose' | 'apply' | 'test' | 'confirm') => void | Promise<void>;
};

/** Repair effects without a sandbox, a file or a model: the test double of the loop. */
export function fakeEffects(script: EffectsScript): RepairEffects & { readonly calls: string[] } {
  const calls: string[] = [];
  const given: Record<string, number> = {};
  const answer = async <T>(
    kind: 'baseline' | 'propose' | 'test' | 'confirm',
    list: readonly T[] | undefined,
  ): Promise<T> => {
    calls.push(kind);
    await script.before?.(kind);
    const at = given[kind] ?? 0;
    given[kind] = at + 1;
    const value = list?.[Math.min(at, list.length - 1)];
    if (value === undefined) throw new Error(`the script has no answer for ${kind}`);
    return value;
  };
  return {
    calls,
    baseline: () => answer('baseline', script.baseline),
    propose: () => answer('propose', script.propose),
    async apply({ layers, edits, alternatives }) {
      calls.push('apply');
      await script.before?.('apply');
      const text = JSON.stringify(edits);
      const made = JSON.stringify([...layers, edits]);
      const diffOf = (patch: unknown) => `diff ${JSON.stringify([...layers, patch])}`;
      return (
        script.apply?.(text) ?? {
          kind: 'applied',
          diff: `diff ${made}`,
          state: `state ${made}`,
          alternatives: alternatives.map(({ motivation, edits: other }) => ({
            motivation,
            diff: diffOf(other),
          })),
        }
      );
    },
    test: () => answer('test', script.test),
    confirm: () => answer('confirm', script.confirm),
    close: async () => undefined,
  };
}
