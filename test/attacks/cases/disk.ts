import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statfsSync } from 'node:fs';
import path from 'node:path';
import type { Bench } from '../bench.ts';
import type { Attack } from '../context.ts';
import { python } from '../python.ts';

const MiB = 1024 * 1024;

/** Writes 1 GiB to a file called `name` in each folder, says how far it came and what stopped it. */
const fill = `
def fill(file):
    block, written = b"x" * (1 << 20), 0
    try:
        with open(file, "wb", 0) as out:
            while written < (1 << 30):
                written += out.write(block)
    except OSError as problem:
        return [written, errno.errorcode[problem.errno]]
    return [written, "ok"]
`;

type Filled = [bytes: number, stopped: string];

async function everyFolder(bench: Bench): Promise<void> {
  const name = bench.scratch('gib').split('/').pop() ?? '';
  const code = `${fill}
for folder in ("/work", "/tmp", "/dev/shm", "", "/dev", "/etc", "/usr", "/proc", "/run", "/var/tmp"):
    say(folder or "/", fill(folder + "/${name}"))
say("sparse", attempt(os.truncate, os.open("/work/sparse", os.O_CREAT | os.O_RDWR), 1 << 40))
say("fallocate", attempt(os.posix_fallocate, os.open("/tmp/reserved", os.O_CREAT | os.O_RDWR), 0, 1 << 29))
`;
  const before = freeBytes();
  const ran = await bench.run({
    argv: python(code),
    mounts: [{ kind: 'tmpfs', target: '/work', sizeBytes: 24 * MiB }],
    limits: { tmpBytes: 16 * MiB, fileBytes: 900 * MiB },
  });
  ran.exited();
  for (const [folder, size] of Object.entries({ '/work': 24, '/tmp': 16, '/dev/shm': 16 })) {
    const [written, stopped] = ran.fact(folder) as Filled;
    assert.equal(stopped, 'ENOSPC', `${folder} stopped by ${stopped}`);
    assert.ok(written >= 8 * MiB && written <= size * MiB, `${folder} took ${written} bytes`);
  }
  for (const folder of ['/', '/dev', '/etc', '/usr', '/proc', '/run', '/var/tmp']) {
    const [written, stopped] = ran.fact(folder) as Filled;
    assert.equal(written, 0, `${written} bytes written to ${folder}`);
    assert.match(stopped, /^(EROFS|EACCES|EPERM|ENOENT)$/, folder);
  }
  assert.match(String(ran.fact('sparse')), /^E/, 'a sparse file of 1 TiB');
  assert.match(String(ran.fact('fallocate')), /^E/);
  for (const folder of ['/', '/dev', '/tmp', '/dev/shm', '/etc', '/usr', '/var/tmp', '/run']) {
    assert.ok(!existsSync(`${folder}/${name}`), `${folder}/${name} is on the host`);
  }
  assert.ok(before - freeBytes() < 512 * MiB, 'the host lost half a gigabyte');
  assert.equal(ran.outcome.enforcement.disk, 'tmpfs');
}

/** A workspace on the host holds each file to `fileBytes`, and says that it holds no more than that. */
async function hostWorkspace(bench: Bench): Promise<void> {
  const source = bench.openFolder('workspace');
  const ran = await bench.run({
    argv: python(`${fill}\nsay("file", fill("/work/gib"))\nsay("again", fill("/work/gib2"))`),
    mounts: [{ kind: 'rw', source, target: '/work' }],
    limits: { fileBytes: 8 * MiB },
  });
  ran.exited();
  assert.deepEqual(ran.fact('file'), [8 * MiB, 'EFBIG']);
  assert.deepEqual(ran.fact('again'), [8 * MiB, 'EFBIG']);
  assert.equal(ran.outcome.enforcement.disk, 'rlimit');
}

async function millionFiles(bench: Bench): Promise<void> {
  const code = `
os.chdir("/tmp")
made, stopped = 0, "ok"
try:
    for made in range(2000000):
        os.close(os.open("%x" % made, os.O_CREAT | os.O_WRONLY))
        if made % 2000 == 0:
            say("made", made)
except OSError as problem:
    stopped = errno.errorcode[problem.errno]
say("made", made)
say("stopped", stopped)
`;
  const ran = await bench.run({ argv: python(code), limits: { wallMs: 3_000, memoryBytes: 64 * MiB } });
  assert.ok(ran.number('made') >= 2_000, 'hardly made a file');
  if (ran.outcome.reason === 'exited') assert.equal(ran.fact('stopped'), 'ENOSPC');
  else ran.ended('oom', 'timeout');
  if (bench.limitsByCgroup) assert.ok((ran.outcome.usage.memoryPeakBytes ?? 0) <= 64 * MiB, ran.describe());
}

const nest = (levels: number) => `
depth = 0
for depth in range(1, ${levels} + 1):
    os.mkdir("d" * 20)
    os.chdir("d" * 20)
say("depth", depth)
`;

async function nestedFolders(bench: Bench): Promise<void> {
  const ran = await bench.run({ argv: python(nest(10_000)) });
  ran.exited();
  assert.equal(ran.fact('depth'), 10_000);
}

/**
 * On the host's disk, in a staged folder: five times deeper than any path can say, and still removable. 10,000 levels
 * are no harder, but make a disk with a journal write for half a minute.
 */
async function nestedHostFolders(bench: Bench): Promise<void> {
  const staging = bench.sandbox.stage();
  const source = bench.openFolderAt(path.join(staging.path, 'nested'));
  const ran = await bench.run({
    argv: python(nest(1_000)),
    mounts: [{ kind: 'rw', source, target: '/work' }],
  });
  ran.exited();
  assert.equal(ran.fact('depth'), 1_000);
  assert.equal(readdirSync(source).length, 1);
  staging.remove();
  assert.ok(!existsSync(staging.path));
}

function freeBytes(): number {
  execFileSync('/bin/sync', ['-f', '/'], { stdio: 'ignore' });
  const { bavail, bsize } = statfsSync('/');
  return bavail * bsize;
}

export const attacks: Attack<Bench>[] = [
  { number: 12, title: 'a 1 GiB file fits nowhere and the host disk is untouched', perform: everyFolder },
  { number: 12, title: 'a 1 GiB file in a host workspace is held to the file limit', perform: hostWorkspace },
  { number: 13, title: 'two million files are contained', perform: millionFiles },
  { number: 13, title: '10,000 nested folders are contained', perform: nestedFolders },
  {
    number: 13,
    title: 'folders nested deeper than the longest path in a host workspace can be cleaned up',
    perform: nestedHostFolders,
  },
];
