import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bench, Ran, soon } from '../bench.ts';
import type { Attack } from '../context.ts';
import { claimsOf, eventually, groupsOf, processesWith } from '../host.ts';
import { python } from '../python.ts';
import type { RunnerRequest } from '../runner.ts';

const beating = `
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(name, signal.SIG_IGN)
        while True:
            with open("/work/beats", "a") as beats:
                beats.write(".")
            time.sleep(0.02)
time.sleep(600)
`;

/** A runner of its own process, killed as the OOM killer or a power user would. */
async function runnerKilled(bench: Bench): Promise<void> {
  const source = bench.openFolder('killed');
  const token = randomUUID();
  const attempt = { argv: python(beating), mounts: [{ kind: 'rw' as const, source, target: '/work' }] };
  const runner = fork(path.join(import.meta.dirname, '../runner.ts'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const { pid } = runner;
  assert.ok(pid !== undefined);
  const options = bench.options(attempt, token, bench.limitsByCgroup);
  runner.send({ limits: bench.context.mode.limits, options } satisfies RunnerRequest);
  const beats = () => (existsSync(`${source}/beats`) ? readFileSync(`${source}/beats`).length : 0);
  assert.ok(await eventually(() => beats() > 5), 'the sandbox never started');
  assert.ok(processesWith(token).length >= 4);
  if (bench.limitsByCgroup) assert.ok(groupsOf(pid).length > 0, 'no group to be left behind');
  if (bench.context.mode.runner === 'root') assert.equal(claimsOf(pid).length, 1, 'no uid to be left behind');

  runner.kill('SIGKILL');
  await once(runner, 'exit');
  assert.ok(await eventually(() => processesWith(token).length === 0), 'the sandbox outlived its runner');
  const atDeath = beats();
  await sleep(200);
  assert.equal(beats(), atDeath);

  bench.sandbox.sweep();
  assert.deepEqual(groupsOf(pid), [], 'groups left after the sweep');
  assert.deepEqual(claimsOf(pid), [], 'uids left after the sweep');
  (await bench.run({ argv: python('say("next")') })).exited();
}

/** A sweep must not touch what a living runner uses. */
async function sweepSparesTheLiving(bench: Bench): Promise<void> {
  const going = bench.run({ argv: python('say("started")\ntime.sleep(1.5)\nsay("finished")') });
  for (let turn = 0; turn < 8; turn++) {
    await sleep(150);
    bench.sandbox.sweep();
  }
  const ran = await going;
  ran.exited();
  ran.fact('finished');
}

/** Aborts at many instants from before the start on; the later ones prove that there was something to abort. */
async function abortEarly(bench: Bench): Promise<void> {
  const strict = bench.limitsByCgroup;
  if (!strict) await bench.refused({ argv: python('') });
  let started = 0;
  const instants = [...Array.from({ length: 25 }, (_, step) => step * 0.2), 7, 10, 15, 20, 30, 50, 80, 1500];
  for (const instant of instants) {
    const token = randomUUID();
    const controller = new AbortController();
    const argv: [string, ...string[]] = [
      '/bin/sh',
      '-c',
      'setsid sleep 600 & echo \'{"started": true}\'; sleep 600',
    ];
    const running = bench.sandbox.run({
      ...bench.options({ argv }, token, strict),
      signal: controller.signal,
    });
    await spin(instant);
    controller.abort();
    const { outcome } = await running;
    assert.deepEqual(processesWith(token), [], `alive after an abort at ${instant} ms`);
    assert.equal(outcome.reason, 'aborted', `at ${instant} ms`);
    if (new Ran(outcome, new Uint8Array()).has('started')) started++;
  }
  assert.ok(started > 0, 'no run had started when it was aborted');
  assert.deepEqual(groupsOf(process.pid), []);
}

/** Timers are no finer than a millisecond, so the rest is waited in turns of the event loop. */
async function spin(ms: number): Promise<void> {
  const end = performance.now() + ms;
  if (ms > 20) await sleep(ms - 10);
  while (performance.now() < end) await new Promise((resolve) => setImmediate(resolve));
}

async function abortedBefore(bench: Bench): Promise<void> {
  const signal = AbortSignal.abort();
  const source = bench.openFolder('never');
  const { outcome } = await bench.sandbox.run(
    bench.options(
      {
        argv: ['/bin/sh', '-c', 'echo > /work/ran'],
        mounts: [{ kind: 'rw', source, target: '/work' }],
        signal,
      },
      randomUUID(),
      bench.limitsByCgroup,
    ),
  );
  assert.equal(outcome.reason, 'aborted');
  assert.ok(!existsSync(`${source}/ran`), 'the command ran although it was aborted before');
}

/** A wall clock that jumps a year at every look, ahead and back, over a monotonic one that does not. */
function jumpingClock() {
  let looks = 0;
  const year = 365 * 24 * 3600 * 1000;
  return {
    monotonicMs: () => performance.now(),
    now: () => new Date(Date.now() + (looks++ % 2 === 0 ? year : -year)),
  };
}

async function clockJumps(bench: Bench): Promise<void> {
  const code =
    'started = time.monotonic()\nwhile True:\n    say("ran", time.monotonic() - started)\n    time.sleep(0.05)';
  const jumped = await bench.run({ argv: python(code), limits: { wallMs: soon }, clock: jumpingClock() });
  jumped.ended('timeout');
  assert.ok(jumped.number('ran') > 0.1, 'ended at a jump ahead');
  const { wallMs } = jumped.outcome.usage;
  assert.ok(wallMs >= soon && wallMs < 10 * soon, `took ${wallMs} ms by the monotonic clock`);
  const short = await bench.run({ argv: python('time.sleep(0.5)\nsay("done")'), clock: jumpingClock() });
  short.exited();
  short.fact('done');
}

export const attacks: Attack<Bench>[] = [
  {
    number: 23,
    title: 'a runner killed mid-run takes its sandbox along, and a sweep clears up',
    perform: runnerKilled,
  },
  { number: 23, title: 'a sweep spares what a living runner uses', perform: sweepSparesTheLiving },
  { number: 24, title: 'an abort at any early instant leaves nothing alive', perform: abortEarly },
  { number: 24, title: 'an abort before the start starts nothing', perform: abortedBefore },
  { number: 34, title: 'a wall clock that jumps moves no deadline', perform: clockJumps },
];
