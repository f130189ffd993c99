import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Outcome } from '../../../src/core/index.ts';
import type { Attempt, Bench } from '../bench.ts';
import type { Attack } from '../context.ts';
import { processesWith } from '../host.ts';
import type { RunnerRequest } from '../runner.ts';
import { openSandbox } from '../sandbox.ts';

/** What bubblewrap says on machines that do not let it work, as recorded in public issue threads and by ourselves. */
const recorded: Record<string, { stderr: string; cause: RegExp; fix: RegExp }> = {
  'unprivileged_userns_clone=0': {
    stderr:
      "bwrap: No permissions to create new namespace, likely because the kernel does not allow non-privileged user namespaces. On e.g. debian this can be enabled with 'sysctl kernel.unprivileged_userns_clone=1'.",
    cause: /namespace/i,
    fix: /unprivileged_userns_clone|seccomp|sysctl|root/i,
  },
  'AppArmor, uid map': {
    stderr: 'bwrap: setting up uid map: Permission denied',
    cause: /AppArmor/i,
    fix: /apparmor/i,
  },
  'AppArmor, loopback': {
    stderr: 'bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted',
    cause: /AppArmor/i,
    fix: /apparmor/i,
  },
  'container with a masked /proc': {
    stderr: "bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
    cause: /proc/i,
    fix: /systempaths=unconfined|privileged/i,
  },
  'container without privileges': {
    stderr: 'bwrap: Creating new namespace failed: Operation not permitted',
    cause: /namespace|container/i,
    fix: /seccomp=unconfined|privileged|SYS_ADMIN/i,
  },
  'namespaces used up': {
    stderr:
      'bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)',
    cause: /namespaces/i,
    fix: /max_user_namespaces|user\.max/i,
  },
  'an old bubblewrap': {
    stderr: 'bwrap: Unknown option --size',
    cause: /bubblewrap|bwrap/i,
    fix: /0\.|newer|upgrade/i,
  },
  'something never seen before': {
    stderr: 'bwrap: Frobnication failed: No such thing',
    cause: /Frobnication/,
    fix: /\w/,
  },
};

/** A command that leaves a mark on the host when it runs, in whatever way. */
function marked(bench: Bench) {
  const source = bench.openFolder('mark');
  const attempt: Attempt = {
    argv: ['/bin/sh', '-c', 'echo > /work/ran'],
    mounts: [{ kind: 'rw', source, target: '/work' }],
  };
  return { attempt, hasRun: () => existsSync(`${source}/ran`) };
}

/** Runs in a runner of its own whose PATH is `folder` alone, or which starts through `wrap`. */
async function runOn(bench: Bench, machine: { path?: string; wrap?: string[] }) {
  const { attempt, hasRun } = marked(bench);
  const token = randomUUID();
  const [first, ...rest] = [...(machine.wrap ?? []), process.execPath];
  const runner = fork(path.join(import.meta.dirname, '../runner.ts'), {
    execPath: first,
    execArgv: rest,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, ...(machine.path === undefined ? {} : { PATH: machine.path }) },
  });
  const options = bench.options(attempt, token, bench.limitsByCgroup);
  // Its own: the root of a user namespace would leave in /tmp what the real root then finds in its place.
  const state = bench.openFolder('state');
  runner.send({ limits: bench.context.mode.limits, options, state } satisfies RunnerRequest);
  const [outcome] = (await Promise.race([
    once(runner, 'message'),
    once(runner, 'exit').then(([code, signal]) => {
      throw new Error(`the runner ended with ${code ?? signal} and no outcome`);
    }),
  ])) as [Outcome];
  assert.deepEqual(processesWith(token), []);
  return { outcome, ran: hasRun() };
}

/** One cause and one fix, each one sentence or command, and nothing was run in a weaker way. */
function refusal({ outcome, ran }: { outcome: Outcome; ran: boolean }, what: string) {
  assert.equal(outcome.reason, 'unavailable', `${what}: ${JSON.stringify(outcome)}`);
  assert.equal(ran, false, `${what}: the command ran`);
  assert.equal(outcome.enforcement.isolation, 'none', what);
  const { unavailable } = outcome;
  assert.ok(unavailable !== null && unavailable.cause.length > 10 && unavailable.fix.length > 10, what);
  return unavailable;
}

function folderWith(bench: Bench, programs: Record<string, string>): string {
  const folder = bench.scratch('bin');
  mkdirSync(folder);
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(path.join(folder, name), text);
    chmodSync(path.join(folder, name), 0o755);
  }
  return folder;
}

async function noBubblewrap(bench: Bench): Promise<void> {
  const { cause, fix } = refusal(await runOn(bench, { path: folderWith(bench, {}) }), 'no bwrap');
  assert.match(cause, /bubblewrap|bwrap/i);
  assert.match(fix, /install.*bubblewrap/i);
}

/** The control: with the rest of the PATH after the same kind of folder, the command runs. */
async function realBubblewrap(bench: Bench): Promise<void> {
  const { outcome, ran } = await runOn(bench, { path: `${folderWith(bench, {})}:${process.env.PATH}` });
  assert.equal(outcome.reason, 'exited', JSON.stringify(outcome));
  assert.ok(ran);
}

/** The same in this process: looks for bwrap in `folder` alone. */
async function runWith(bench: Bench, folder: string) {
  const { attempt, hasRun } = marked(bench);
  const sandbox = openSandbox(bench.context.mode.limits, { path: folder });
  const { outcome } = await sandbox.run(bench.options(attempt, randomUUID(), bench.limitsByCgroup));
  return { outcome, ran: hasRun(), doctor: await sandbox.doctor() };
}

async function recordedErrors(bench: Bench): Promise<void> {
  for (const [what, { stderr, cause, fix }] of Object.entries(recorded)) {
    const called = bench.scratch('called');
    const script = `#!/bin/sh
: > '${called}'
echo ${JSON.stringify(stderr)} >&2
exit 1
`;
    const result = await runWith(bench, folderWith(bench, { bwrap: script }));
    const refused = refusal(result, what);
    // Without control groups the doctor's first word is about those.
    if (bench.limitsByCgroup) assert.deepEqual(result.doctor, { ok: false, unavailable: refused }, what);
    assert.equal(result.doctor.ok, false, what);
    assert.ok(existsSync(called), `${what}: the recorded program was never started`);
    assert.match(refused.cause, cause, what);
    assert.match(refused.fix, fix, what);
  }
}

/** A bwrap that lies: reports success without having run anything. */
async function lyingBubblewrap(bench: Bench): Promise<void> {
  const called = bench.scratch('called');
  const folder = folderWith(bench, { bwrap: `#!/bin/sh\n: > '${called}'\nexit 0\n` });
  refusal(await runWith(bench, folder), 'a bwrap that does nothing');
  assert.ok(existsSync(called));
}

/** Real poverty: the runner lives in a user namespace in which no other may be made. */
async function namespacesUsedUp(bench: Bench): Promise<void> {
  const enter =
    'echo 0 > /proc/sys/user/max_user_namespaces && test "$(cat /proc/sys/user/max_user_namespaces)" = 0';
  const poor = [
    '/usr/bin/unshare',
    '--user',
    '--map-root-user',
    '/bin/sh',
    '-c',
    `${enter} && exec "$@"`,
    'sh',
  ];
  const { cause } = refusal(await runOn(bench, { wrap: poor }), 'no user namespaces left');
  // And not, say, for what the runner found in place of its folders.
  assert.match(cause, /namespace/i);
}

/** Real poverty: root without capabilities, as in a container without privileges. */
async function rootWithoutCapabilities(bench: Bench): Promise<void> {
  const poor = ['/usr/bin/setpriv', '--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all'];
  refusal(await runOn(bench, { wrap: poor }), 'root without capabilities');
}

export const attacks: Attack<Bench>[] = [
  { number: 26, title: 'the control: with bubblewrap there, the command runs', perform: realBubblewrap },
  { number: 26, title: 'no bubblewrap is a refusal', perform: noBubblewrap },
  {
    number: 26,
    title: 'every recorded failure of bubblewrap is a refusal with its cause and fix',
    perform: recordedErrors,
  },
  { number: 26, title: 'a bubblewrap that does nothing is a refusal', perform: lyingBubblewrap },
  { number: 26, title: 'a machine with no user namespaces left is a refusal', perform: namespacesUsedUp },
  {
    number: 26,
    title: 'root without capabilities is a refusal',
    modes: ['root', 'rlimit'],
    perform: rootWithoutCapabilities,
  },
];
