import assert from 'node:assert/strict';
import type { Attempt, Bench, Ran } from '../bench.ts';
import type { Attack } from '../context.ts';
import { PYTHON, python } from '../python.ts';

const MiB = 1024 * 1024;
const limits = { memoryBytes: 96 * MiB, pids: 24, cpus: 1, wallMs: 60_000, tmpBytes: 8 * MiB };

type Member = { attempt: Attempt; check: (ran: Ran) => void };

/** Writes its own mark where the others write theirs, waits, and must find only its own. */
function honest(index: number): Member {
  const code = `
import socket
places = ["/tmp/mark", "/dev/shm/mark", "/work/mark"]
for place in places:
    with open(place, "x") as out:
        out.write("${index}")
server = socket.socket(socket.AF_UNIX)
server.bind("\\0the same name in all")
port = socket.create_server(("127.0.0.1", 5000))
time.sleep(0.5)
say("marks", [open(place).read() for place in places])
say("others", [name for folder in ("/tmp", "/dev/shm", "/work") for name in os.listdir(folder) if name != "mark"])
say("pids", sorted(int(name) for name in os.listdir("/proc") if name.isdigit())[-1])
`;
  return {
    attempt: { argv: python(code), limits },
    check: (ran) => {
      ran.exited();
      assert.deepEqual(ran.fact('marks'), [`${index}`, `${index}`, `${index}`]);
      assert.deepEqual(ran.fact('others'), []);
      assert.ok(ran.number('pids') < 24, 'sees processes of others');
    },
  };
}

/** Ends by itself, refused, so that the machine is not held to a wall limit. */
const forker: Member = {
  attempt: {
    argv: python(`
made = 0
try:
    while made < 500:
        if os.fork() == 0:
            time.sleep(600)
        made += 1
except BlockingIOError:
    pass
say("made", made)
time.sleep(0.5)`),
    limits,
  },
  check: (ran) => {
    ran.ended('exited', 'pids');
    assert.ok(ran.number('made') >= 8 && ran.number('made') < 24, ran.describe());
  },
};

function hog(byCgroup: boolean): Member {
  const code = `
held = []
try:
    for step in range(40):
        held.append(b"x" * (8 << 20))
        say("held", step * 8)
except MemoryError:
    say("refused")`;
  return {
    attempt: { argv: python(code), limits },
    check: (ran) => {
      assert.ok(ran.number('held') >= 32);
      ran.ended(byCgroup ? 'oom' : 'exited');
    },
  };
}

const flooder: Member = {
  attempt: { argv: [PYTHON, '-c', 'import os\nwhile True: os.write(1, b"x" * 65536)'], limits },
  check: (ran) => {
    ran.ended('output_limit');
    assert.ok(ran.outcome.stdout.totalBytes > MiB);
  },
};

const killer: Member = {
  attempt: {
    argv: python(`
say("killed", attempt(os.kill, -1, 9))
for pid in range(2, 40000):
    if pid != os.getpid():
        try:
            os.kill(pid, 9)
            say("hit", pid)
        except OSError:
            pass
say("tried")`),
    limits,
  },
  check: (ran) => {
    ran.exited();
    ran.fact('tried');
    assert.ok(!ran.has('hit'), 'a process beside its own could be signalled');
  },
};

const filler: Member = {
  attempt: {
    argv: python(`
with open("/tmp/fill", "wb", 0) as out:
    try:
        while True: out.write(b"x" * (1 << 20))
    except OSError as problem:
        say("stopped", errno.errorcode[problem.errno])`),
    limits,
  },
  check: (ran) => {
    ran.exited();
    assert.equal(ran.fact('stopped'), 'ENOSPC');
  },
};

async function fiftyAtOnce(bench: Bench): Promise<void> {
  const hostile = [forker, hog(bench.limitsByCgroup), flooder, killer, filler];
  const members = Array.from({ length: 50 }, (_, index) =>
    index % 5 === 4 ? (hostile[((index - 4) / 5) % hostile.length] ?? flooder) : honest(index),
  );
  if (!bench.limitsByCgroup) await bench.refused({ argv: python('') });
  const rans = await Promise.all(members.map(({ attempt }) => bench.run(attempt)));
  const problems = members.flatMap(({ check }, index) => {
    const ran = rans[index];
    try {
      assert.ok(ran !== undefined);
      check(ran);
      return [];
    } catch (error) {
      return [`run ${index}: ${error instanceof Error ? error.message : error}\n${ran?.describe()}`];
    }
  });
  assert.deepEqual(problems, []);
  if (bench.context.mode.runner === 'root') {
    const uids = new Set(rans.map((ran) => ran.outcome.enforcement.hostUid));
    assert.equal(uids.size, rans.length, 'runs that overlap share a uid');
  }
}

export const attacks: Attack<Bench>[] = [
  {
    number: 25,
    title: 'fifty runs at once, ten of them hostile, do not touch one another',
    perform: fiftyAtOnce,
  },
];
