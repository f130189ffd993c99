import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import type { Bench, Ran } from '../bench.ts';
import type { Attack } from '../context.ts';
import { python } from '../python.ts';

async function tracing(bench: Bench): Promise<void> {
  const code = `
PTRACE = {"traceme": 0, "attach": 16, "seize": 0x4206}
child = os.fork()
if child == 0:
    time.sleep(600)
table = {}
for name, request in PTRACE.items():
    for target, pid in (("init", 1), ("child", child), ("parent", os.getppid())):
        table["%s %s" % (name, target)] = call(101, request, pid, 0, 0)
pidfd = call(434, 1, 0)
say("pidfd", pidfd)
own = call(434, os.getpid(), 0)
say("own", own)
table["pidfd_getfd init"] = call(438, int(pidfd[3:]) if pidfd[:2] == "ok" else -1, 0, 0)
table["pidfd_getfd own"] = call(438, int(own[3:]), 1, 0)
table["process_madvise"] = call(440, int(own[3:]), None, 0, 21, 0)
say("table", table)
os.kill(child, 9)
say("init memory", attempt(os.open, "/proc/1/mem", os.O_RDWR))
`;
  const ran = await bench.run({ argv: python(code) });
  ran.exited();
  assert.match(String(ran.fact('own')), /^ok/);
  const table = ran.table('table');
  assert.ok(Object.keys(table).length >= 12);
  for (const [name, result] of Object.entries(table)) assert.match(result, /^(EPERM|EACCES|ENOSYS)$/, name);
  // pid 1 belongs to another uid where the runner is root; elsewhere it is the code's own uid and only stays contained.
  if (bench.context.mode.runner === 'root') assert.match(String(ran.fact('init memory')), /^(EACCES|EPERM)$/);
}

/** Overwrites all code of pid 1 with `exit_group(0)`, then fails: the exit code may lie, the runner must not hang. */
async function overwriteInit(bench: Bench): Promise<void> {
  const code = `
exit0 = bytes.fromhex("31ff" "b8e7000000" "0f05")
page = exit0.rjust(4096, b"\\x90")
def overwrite():
    written = 0
    with open("/proc/1/maps") as maps:
        spans = [line.split() for line in maps]
    memory = os.open("/proc/1/mem", os.O_RDWR)
    for span, protection, *_, name in spans:
        if "x" in protection and name not in ("[vdso]", "[vsyscall]"):
            low, high = (int(end, 16) for end in span.split("-"))
            written += os.pwrite(memory, page * ((high - low) // 4096), low)
    return written
say("overwritten", attempt(overwrite))
time.sleep(0.1)
os._exit(7)
`;
  const ran = await bench.run({ argv: python(code) });
  const overwritten = String(ran.fact('overwritten'));
  if (!overwritten.startsWith('ok')) {
    assert.match(overwritten, /^(EACCES|EPERM)$/);
    return ran.exited(7);
  }
  assert.equal(bench.context.mode.runner, 'ordinary', 'the memory of pid 1 was open to the code');
  assert.ok(Number(overwritten.slice(3)) > 4096);
  ran.ended('exited', 'signaled', 'timeout');
}

/** Starts each program and reads from its own status whose rights it has. */
const rights = (programs: string[]) => `
def status(pid):
    with open("/proc/%s/status" % pid) as lines:
        return {name: value.split() for name, value in (line.rstrip("\\n").split(":", 1) for line in lines)}
import subprocess
mine = status("self")
say("mine", {"uid": mine["Uid"], "effective": mine["CapEff"][0], "bounding": mine["CapBnd"][0], "noNewPrivs": mine["NoNewPrivs"][0], "seccomp": mine["Seccomp"][0]})
for program in ${JSON.stringify(programs)}:
    say("setuid bit " + program, bool(os.stat(program).st_mode & 0o4000))
    child = subprocess.Popen([program, "600"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    name = program.rsplit("/", 1)[1]
    until(lambda: status(child.pid)["Name"] == [name])
    theirs = status(child.pid)
    say("name " + program, theirs["Name"] == [name])
    say(program, {"uid": theirs["Uid"], "effective": theirs["CapEff"][0], "permitted": theirs["CapPrm"][0]})
    child.kill()
`;

function gainedNothing(ran: Ran, program: string): void {
  assert.equal(ran.fact(`name ${program}`), true, `${program} never ran`);
  const mine = ran.fact('mine') as { uid: string[] };
  assert.deepEqual(ran.fact(program), {
    uid: mine.uid,
    effective: '0000000000000000',
    permitted: '0000000000000000',
  });
}

function ordinary(ran: Ran): void {
  const mine = ran.fact('mine') as Record<string, string | string[]>;
  assert.ok(!(mine.uid ?? []).includes('0'), 'the code runs as root');
  assert.equal(mine.effective, '0000000000000000');
  assert.equal(mine.bounding, '0000000000000000');
  assert.equal(mine.noNewPrivs, '1');
  assert.equal(mine.seccomp, '2');
}

/** Programs that give rights outside (which is shown first) give none inside. */
async function plantedPrograms(bench: Bench): Promise<void> {
  const { planted } = bench.context;
  if (planted === null) return systemPrograms(bench);
  const programs = [`${planted}/setuid-sleep`, `${planted}/capable-sleep`];
  const outside = programs.map((program) => JSON.parse(asStranger(program)) as string[]);
  assert.equal(outside[0]?.[0], '0', 'the planted setuid program gains nothing outside either');
  assert.notEqual(
    outside[1]?.[1],
    '0000000000000000',
    'the planted file capabilities give nothing outside either',
  );
  const ran = await bench.run({
    argv: python(rights(programs)),
    mounts: [
      { kind: 'tmpfs', target: '/work', sizeBytes: 1 << 20 },
      { kind: 'ro', source: planted, target: planted },
    ],
  });
  ran.exited();
  ordinary(ran);
  assert.equal(ran.fact(`setuid bit ${programs[0]}`), true);
  for (const program of programs) gainedNothing(ran, program);
}

/** The effective uid and capabilities that `program` has when an ordinary user starts it on the host. */
function asStranger(program: string): string {
  const code = `
import json, subprocess, sys, time
def status():
    with open("/proc/%d/status" % child.pid) as lines:
        return dict(line.rstrip("\\n").split(":\\t", 1) for line in lines)
child = subprocess.Popen([sys.argv[1], "60"], stdout=subprocess.DEVNULL)
end = time.monotonic() + 5
while time.monotonic() < end and not status()["Name"].endswith("-sleep"):
    time.sleep(0.01)
print(json.dumps([status()["Uid"].split()[1], status()["CapEff"]]))
child.kill()
`;
  const drop = process.getuid?.() === 0 ? ['--reuid', '12345', '--regid', '12345', '--clear-groups'] : [];
  return execFileSync('/usr/bin/setpriv', [...drop, '/usr/bin/python3', '-c', code, program], {
    encoding: 'utf8',
  });
}

/** Where nothing can be planted, the system's own setuid program: it waits for a password, so its rights can be read. */
async function systemPrograms(bench: Bench): Promise<void> {
  const ran = await bench.run({ argv: python(rights(['/usr/bin/su'])) });
  ran.exited();
  ordinary(ran);
  assert.equal(ran.fact('setuid bit /usr/bin/su'), true);
  gainedNothing(ran, '/usr/bin/su');
}

export const attacks: Attack<Bench>[] = [
  {
    number: 9,
    title: 'ptrace and pidfd_getfd are refused, and the memory of pid 1 under a root runner',
    perform: tracing,
  },
  { number: 9, title: 'overwriting the code of pid 1 forges at most an exit code', perform: overwriteInit },
  { number: 20, title: 'setuid programs and file capabilities give nothing', perform: plantedPrograms },
];
