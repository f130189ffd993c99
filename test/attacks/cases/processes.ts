import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bench, type Ran, soon } from '../bench.ts';
import type { Attack } from '../context.ts';
import { sleeper } from '../host.ts';
import { python } from '../python.ts';

/** A daemon no signal but SIGKILL ends, in a session and a process group of its own; writes a beat every 20 ms. */
const daemon = `
def daemon(beats):
    ready, alive = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() != 0:
            os._exit(0)
        for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
            signal.signal(name, signal.SIG_IGN)
        out = os.open(beats, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        os.write(alive, b"x")
        os.close(alive)
        for descriptor in (0, 1, 2):
            os.close(descriptor)
        while True:
            os.write(out, b".")
            time.sleep(0.02)
    os.close(alive)
    os.read(ready, 1)
    until(lambda: os.path.exists(beats) and os.path.getsize(beats) > 2)
    say("beats", os.path.getsize(beats))
    say("parent", os.getppid())
`;

/** Limits on tasks held: by the cgroup's own count, or by the refusals the attack itself saw. */
function stayedUnder(ran: Ran, limit: number): void {
  if (ran.outcome.enforcement.pids === 'rlimit') return;
  const peak = ran.outcome.usage.pidsPeak;
  assert.ok(peak !== null && peak <= limit && peak > limit / 2, `a peak of ${peak} tasks: ${ran.describe()}`);
}

/** A bomb is set off only where the number of processes is held. */
async function processesAreHeld(bench: Bench): Promise<void> {
  const { outcome } = await bench.run({ argv: ['/bin/true'] });
  assert.notEqual(outcome.enforcement.pids, 'none', outcome.enforcement.notes.join('; '));
}

async function shellForkBomb(bench: Bench): Promise<void> {
  await processesAreHeld(bench);
  const code = 'echo \'{"started": true}\'; b() { b | b & }; b; sleep 60';
  const ran = await bench.run({ argv: ['/bin/bash', '-c', code], limits: { wallMs: soon, pids: 40 } });
  ran.fact('started');
  assert.match(ran.stderr, /fork: .*(unavailable|Resource)/, ran.describe());
  ran.ended('timeout', 'pids');
  stayedUnder(ran, 40);
}

async function forkLoop(bench: Bench): Promise<void> {
  await processesAreHeld(bench);
  const code = `
made = refused = 0
while True:
    try:
        if os.fork() == 0:
            time.sleep(600)
        made += 1
    except BlockingIOError:
        refused += 1
        if refused == 1:
            say("made", made)
        time.sleep(0.001)`;
  const ran = await bench.run({ argv: python(code), limits: { wallMs: soon, pids: 40 } });
  const made = ran.number('made');
  assert.ok(made >= 20 && made <= 40, `${made} processes made`);
  ran.ended('timeout', 'pids');
  stayedUnder(ran, 40);
}

async function spinningThreads(bench: Bench): Promise<void> {
  // pbkdf2 gives up the interpreter's lock, so the threads really run side by side.
  const code = `
import hashlib
started = 0
def spin():
    global started
    started += 1
    while True:
        hashlib.pbkdf2_hmac("sha256", b"x", b"y", 100000)
for _ in range(8):
    threading.Thread(target=spin).start()
until(lambda: started == 8)
say("threads", started)`;
  const ran = await bench.run({ argv: python(code), limits: { wallMs: soon, cpus: 0.5 } });
  assert.equal(ran.number('threads'), 8);
  const { cpuMs, wallMs } = ran.outcome.usage;
  if (!bench.limitsByCgroup) {
    // RLIMIT_CPU bounds what a process may use in all, so it may end before the wall limit does.
    assert.equal(ran.outcome.enforcement.cpu, 'rlimit');
    return ran.outcome.signal === 'SIGKILL' ? ran.ended('signaled', 'timeout') : ran.ended('timeout');
  }
  ran.ended('timeout');
  assert.ok(cpuMs !== null && cpuMs > 100, `hardly ran: ${ran.describe()}`);
  assert.ok(cpuMs <= wallMs * 0.5 * 1.3, `used ${cpuMs} ms of CPU in ${wallMs} ms: ${ran.describe()}`);
}

/** A workspace folder on the host, so that a daemon's beats can be watched after the sandbox is gone. */
function watched(bench: Bench) {
  const source = bench.openFolder('watched');
  return {
    mounts: [{ kind: 'rw' as const, source, target: '/work' }],
    beats: () => readFileSync(`${source}/beats`).length,
  };
}

async function diesWithMain(bench: Bench): Promise<void> {
  const { mounts, beats } = watched(bench);
  const ran = await bench.run({
    argv: python(`${daemon}\nfor _ in range(3): daemon("/work/beats")`),
    mounts,
  });
  ran.exited();
  assert.ok(ran.number('beats') > 2);
  await noMoreBeats(beats);
}

async function diesAtWallLimit(bench: Bench): Promise<void> {
  const { mounts, beats } = watched(bench);
  const code = `${daemon}\nfor _ in range(3): daemon("/work/beats")\ntime.sleep(600)`;
  const ran = await bench.run({ argv: python(code), mounts, limits: { wallMs: soon } });
  ran.ended('timeout');
  assert.ok(ran.number('beats') > 2);
  await noMoreBeats(beats);
}

async function noMoreBeats(beats: () => number): Promise<void> {
  const atReturn = beats();
  await sleep(200);
  assert.equal(beats(), atReturn, 'a daemon went on after the result was returned');
}

async function stopGroup(bench: Bench): Promise<void> {
  const code = `
main = os.getpid()
if os.fork() == 0:
    os.setsid()
    say("stopped", until(lambda: state(main) == "T"))
    os._exit(0)
time.sleep(0.2)
os.kill(0, signal.SIGSTOP)`;
  const ran = await bench.run({ argv: python(code), limits: { wallMs: soon } });
  assert.equal(ran.fact('stopped'), true);
  ran.ended('timeout');
}

async function stopEverything(bench: Bench): Promise<void> {
  const code = `
victim = os.fork()
if victim == 0:
    os.setsid()
    time.sleep(600)
os.kill(-1, signal.SIGSTOP)
say("stopped", until(lambda: state(victim) == "T"))
os.kill(os.getpid(), signal.SIGSTOP)`;
  const ran = await bench.run({ argv: python(code), limits: { wallMs: soon } });
  assert.equal(ran.fact('stopped'), true);
  ran.ended('timeout');
}

async function killInit(bench: Bench): Promise<void> {
  const bystander = sleeper();
  try {
    const code = `
say("init", attempt(os.kill, 1, signal.SIGKILL))
victim = os.fork()
if victim == 0:
    os.setsid()
    time.sleep(600)
say("all", attempt(os.kill, -1, signal.SIGKILL))
say("victim", os.WTERMSIG(os.waitpid(victim, 0)[1]))`;
    const ran = await bench.run({ argv: python(code) });
    assert.match(String(ran.fact('init')), /^(ok|EPERM)$/);
    assert.equal(ran.fact('victim'), 9, 'kill(-1) reached nobody inside');
    ran.exited();
    assert.ok(bystander.alive(), 'a process outside was killed');
  } finally {
    bystander.end();
  }
}

export const attacks: Attack<Bench>[] = [
  { number: 1, title: 'a shell fork bomb stays under the process limit', perform: shellForkBomb },
  { number: 1, title: 'an endless os.fork loop stays under the process limit', perform: forkLoop },
  {
    number: 4,
    title: 'threads that spin for ever get the CPU limit and end at the wall limit',
    perform: spinningThreads,
  },
  { number: 5, title: 'daemons that ignore SIGTERM are dead when main exits 0', perform: diesWithMain },
  { number: 6, title: 'daemons that ignore SIGTERM are dead at the wall limit', perform: diesAtWallLimit },
  { number: 7, title: 'kill -STOP 0 ends as a timeout', perform: stopGroup },
  { number: 7, title: 'kill -STOP -1 ends as a timeout', perform: stopEverything },
  { number: 8, title: 'kill -9 1 and kill -9 -1 do nothing outside', perform: killInit },
];
