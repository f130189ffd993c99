import assert from 'node:assert/strict';
import type { Bench, Ran } from '../bench.ts';
import type { Attack } from '../context.ts';
import { python } from '../python.ts';

const MiB = 1024 * 1024;
const limit = 128 * MiB;

/** Takes memory in steps of 8 MiB and writes to it, up to 1 GiB so that a sandbox without a limit harms no host. */
const hog = `
def hog(name):
    held = []
    try:
        for step in range(1, 129):
            held.append(b"x" * (8 << 20))
            say(name, step * 8)
    except MemoryError:
        say(name + " refused", len(held) * 8)
`;

/** Without a cgroup a process meets its own address-space limit, or the enforcement says that nothing holds it. */
function heldByRlimit(ran: Ran): void {
  assert.notEqual(ran.outcome.reason, 'oom', 'an oom verdict with no counter to prove it');
  if (ran.outcome.enforcement.memory === 'rlimit') assert.ok(ran.number('hog refused') * MiB < limit);
  else assert.equal(ran.number('hog'), 1024);
}

async function untilDead(bench: Bench): Promise<void> {
  const neighbour = bench.run({
    argv: python('say("first")\ntime.sleep(1)\nsay("block", len(b"x" * (32 << 20)))'),
    limits: { memoryBytes: limit },
  });
  const ran = await bench.run({ argv: python(`${hog}\nhog("hog")`), limits: { memoryBytes: limit } });
  assert.ok(ran.number('hog') >= 40, 'hardly allocated');
  const beside = await neighbour;
  beside.exited();
  assert.equal(beside.number('block'), 32 * MiB);
  if (!bench.limitsByCgroup) return heldByRlimit(ran);
  ran.ended('oom');
  const peak = ran.outcome.usage.memoryPeakBytes;
  assert.ok(peak !== null && peak <= limit, `peak of ${peak}`);
}

async function onlyTheChild(bench: Bench): Promise<void> {
  const code = `${hog}
child = os.fork()
if child == 0:
    with open("/proc/self/oom_score_adj", "w") as score:
        score.write("1000")
    hog("hog")
    os._exit(0)
os.waitpid(child, 0)
say("parent", "exits 0")
`;
  const ran = await bench.run({ argv: python(code), limits: { memoryBytes: limit } });
  assert.ok(ran.number('hog') >= 40, 'hardly allocated');
  if (!bench.limitsByCgroup) {
    ran.exited();
    return heldByRlimit(ran);
  }
  ran.ended('oom');
}

/** The tree as a whole is limited, not each process: eight children that each stay far below the limit. */
async function byManyChildren(bench: Bench): Promise<void> {
  const code = `
children = []
for _ in range(8):
    child = os.fork()
    if child == 0:
        held = b"x" * (32 << 20)
        os.write(1, b'{"held": true}\\n')
        time.sleep(3)
        os._exit(0)
    children.append(child)
say("killed", sum(os.WIFSIGNALED(os.waitpid(child, 0)[1]) for child in children))
`;
  const ran = await bench.run({ argv: python(code), limits: { memoryBytes: limit } });
  ran.fact('held');
  if (bench.limitsByCgroup) return ran.ended('oom');
  // What an rlimit cannot hold, the default policy refuses (asserted by the bench) and this one lets pass.
  ran.exited();
  assert.equal(ran.fact('killed'), 0);
}

/** Files in /tmp and /dev/shm are memory and count as such. */
async function inFiles(bench: Bench): Promise<void> {
  const code = `
block, written = b"x" * (1 << 20), 0
for folder in ("/tmp", "/dev/shm"):
    with open(folder + "/fill", "wb", 0) as out:
        for _ in range(100):
            written += out.write(block)
            say("written", written)
say("finished")
`;
  const limits = { memoryBytes: limit, tmpBytes: 120 * MiB };
  const ran = await bench.run({ argv: python(code), limits });
  assert.ok(ran.number('written') > 64 * MiB, 'hardly wrote');
  if (bench.limitsByCgroup) return ran.ended('oom');
  ran.exited();
  assert.equal(ran.number('written'), 200 * MiB);
}

export const attacks: Attack<Bench>[] = [
  {
    number: 2,
    title: 'allocating until dead is an oom under the limit, and a neighbour lives on',
    perform: untilDead,
  },
  { number: 2, title: 'many children share one memory limit', perform: byManyChildren },
  { number: 2, title: 'files in memory count against the memory limit', perform: inFiles },
  { number: 3, title: 'an OOM-killed child is an oom although the parent exits 0', perform: onlyTheChild },
];
