import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Clock, Outcome } from '../../src/core/index.ts';
import type { Command, Limits, Mount, Policy, RunOptions, Sandbox } from '../../src/sandbox/index.ts';
import type { Context } from './context.ts';
import { processesWith } from './host.ts';
import { openSandbox } from './sandbox.ts';

const MiB = 1024 * 1024;

export const roomy: Limits = {
  wallMs: 20_000,
  memoryBytes: 256 * MiB,
  pids: 64,
  cpus: 1,
  output: { maxBytes: MiB, onExcess: 'kill' },
  tmpBytes: 32 * MiB,
  fileBytes: 256 * MiB,
  openFiles: 256,
};

/** Long enough for an interpreter to start on a busy machine, short enough to be waited for. */
export const soon = 2_000;

export type Attempt = {
  argv: [string, ...string[]];
  limits?: Partial<Limits>;
  /** Default: a tmpfs of 32 MiB at /work, which is the working directory. */
  mounts?: Mount[];
  env?: Record<string, string>;
  stdin?: Uint8Array;
  signal?: AbortSignal;
  clock?: Clock;
  channel?: Policy['channel'];
  onOutput?: RunOptions['onOutput'];
};

/** How an attempt went, and the facts its program reported with `say`. */
export class Ran {
  readonly outcome: Outcome;
  readonly channel: Uint8Array;
  readonly stdout: string;
  readonly stderr: string;
  readonly #facts: Map<string, unknown>;

  constructor(outcome: Outcome, channel: Uint8Array) {
    this.outcome = outcome;
    this.channel = channel;
    this.stdout = outcome.stdout.head + outcome.stdout.tail;
    this.stderr = outcome.stderr.head + outcome.stderr.tail;
    this.#facts = factsIn(this.stdout);
  }

  /** A reported fact. Missing means that the attack never came that far, which is a failed case. */
  fact(name: string): unknown {
    assert.ok(this.#facts.has(name), `the attack never reported "${name}": ${this.describe()}`);
    return this.#facts.get(name);
  }

  has(name: string): boolean {
    return this.#facts.has(name);
  }

  number(name: string): number {
    const value = this.fact(name);
    assert.equal(typeof value, 'number', `"${name}" is no number`);
    return Number(value);
  }

  table(name: string): Record<string, string> {
    const value = this.fact(name);
    assert.ok(typeof value === 'object' && value !== null, `"${name}" is no table`);
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, String(entry)]));
  }

  ended(...reasons: Outcome['reason'][]): void {
    assert.ok(reasons.includes(this.outcome.reason), `not ${reasons.join(' or ')}: ${this.describe()}`);
  }

  exited(code = 0): void {
    this.ended('exited');
    assert.equal(this.outcome.exitCode, code, this.describe());
  }

  describe(): string {
    const { reason, exitCode, signal, usage, unavailable } = this.outcome;
    const short = (text: string) =>
      text.length > 1500 ? `${text.slice(0, 700)} ... ${text.slice(-700)}` : text;
    return JSON.stringify(
      {
        reason,
        exitCode,
        signal,
        usage,
        unavailable,
        stdout: short(this.stdout),
        stderr: short(this.stderr),
      },
      null,
      1,
    );
  }
}

function factsIn(stdout: string): Map<string, unknown> {
  const facts = new Map<string, unknown>();
  for (const line of stdout.split('\n')) {
    if (!line.startsWith('{')) continue;
    try {
      for (const [name, value] of Object.entries(JSON.parse(line))) facts.set(name, value);
    } catch {
      // A line cut by the output cap, or printed by two processes at once: no fact.
    }
  }
  return facts;
}

/** What an attack works with: runs programs in this mode's sandbox and checks after each that it held. */
export class Bench {
  readonly context: Context;
  readonly sandbox: Sandbox;
  #refusalSeen = false;

  constructor(context: Context) {
    this.context = context;
    this.sandbox = openSandbox(context.mode.limits);
  }

  get limitsByCgroup(): boolean {
    return this.context.mode.limits === 'cgroup';
  }

  /** A path on the host that only this test knows. */
  scratch(name: string): string {
    return path.join(this.context.scratch, `${name}-${randomUUID().slice(0, 8)}`);
  }

  /** A new host folder that anyone may write to, the sandboxed uid included. */
  openFolder(name: string): string {
    return this.openFolderAt(this.scratch(name));
  }

  openFolderAt(folder: string): string {
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    return folder;
  }

  /**
   * Runs the attempt; when it returns, nothing of it may be alive and the machine must have enforced what this
   * mode promises. Without cgroups the default policy must have refused first.
   */
  async run(attempt: Attempt): Promise<Ran> {
    if (!this.limitsByCgroup && !this.#refusalSeen) await this.refused(attempt);
    const token = randomUUID();
    const { outcome, channel } = await this.sandbox.run(this.options(attempt, token, this.limitsByCgroup));
    const left = processesWith(token);
    const ran = new Ran(outcome, channel);
    assert.deepEqual(left, [], `alive after the result was returned: ${ran.describe()}`);
    this.#held(ran);
    return ran;
  }

  /** The options of `run` for an attempt whose processes carry `token` in their arguments and environment. */
  options(attempt: Attempt, token: string, strict: boolean): RunOptions {
    const command: Command = {
      argv: [...attempt.argv, token] as Command['argv'],
      cwd: '/work',
      env: { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8', ATTACK_TOKEN: token, ...attempt.env },
      ...(attempt.stdin === undefined ? {} : { stdin: attempt.stdin }),
    };
    const mounts: Mount[] = attempt.mounts ?? [{ kind: 'tmpfs', target: '/work', sizeBytes: 32 * MiB }];
    return {
      command,
      policy: {
        mounts,
        toolchains: [],
        ...(strict ? {} : { strict: false }),
        ...(attempt.channel === undefined ? {} : { channel: attempt.channel }),
      },
      limits: { ...roomy, ...attempt.limits },
      ...(attempt.signal === undefined ? {} : { signal: attempt.signal }),
      ...(attempt.clock === undefined ? {} : { clock: attempt.clock }),
      ...(attempt.onOutput === undefined ? {} : { onOutput: attempt.onOutput }),
    };
  }

  /** Under the default policy a machine that cannot hold the limits runs nothing, and says why and what to do. */
  async refused(attempt: Attempt): Promise<void> {
    const { outcome } = await this.sandbox.run(this.options(attempt, randomUUID(), true));
    const ran = new Ran(outcome, new Uint8Array());
    ran.ended('unavailable');
    assert.equal(
      outcome.stdout.totalBytes + outcome.stderr.totalBytes,
      0,
      'a refused command printed something',
    );
    assert.ok((outcome.unavailable?.cause ?? '').length > 10, ran.describe());
    assert.ok((outcome.unavailable?.fix ?? '').length > 10, ran.describe());
    this.#refusalSeen = true;
  }

  #held({ outcome }: Ran): void {
    const { enforcement } = outcome;
    const { mode } = this.context;
    if (outcome.reason === 'unavailable') return;
    assert.equal(enforcement.isolation, mode.runner === 'root' ? 'host-uid' : 'user-namespace');
    assert.ok(enforcement.hostUid !== null && enforcement.hostUid > 0, 'the code ran as root');
    assert.equal(enforcement.network, 'none');
    assert.equal(enforcement.seccomp, true);
    assert.notEqual(enforcement.nestedNamespaces, 'none');
    if (mode.limits === 'cgroup') {
      for (const held of [enforcement.memory, enforcement.pids, enforcement.cpu])
        assert.match(held, /^cgroup/);
      assert.equal(enforcement.oomCounter, true);
      assert.match(enforcement.killAll, /^cgroup/);
    } else {
      assert.equal(enforcement.oomCounter, false, 'an OOM counter without a cgroup');
      assert.equal(enforcement.killAll, 'pid-namespace');
      for (const held of [enforcement.memory, enforcement.pids, enforcement.cpu]) {
        assert.ok(held === 'rlimit' || held === 'none', `${held} without a cgroup`);
      }
    }
  }
}
