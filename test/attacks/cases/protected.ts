import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Mount } from '../../../src/sandbox/index.ts';
import type { Bench, Ran } from '../bench.ts';
import type { Attack } from '../context.ts';
import { python } from '../python.ts';

const original = 'assert answer() == 42\n';

/** Tries every way round a read-only file at /work/tests/unit/test_a.py, honest writing beside it included. */
const goAround = `
FILE = "/work/tests/unit/test_a.py"
def write():
    with open(FILE, "w") as out:
        out.write("pass")
def replace():
    with open("/work/fake.py", "w") as out:
        out.write("pass")
    os.rename("/work/fake.py", FILE)
def swap(folder):
    os.rename(folder, folder + ".aside")
    os.makedirs("/work/tests/unit", exist_ok=True)
    write()
say("started", open(FILE).read())
say("table", {
    "write": attempt(write),
    "replace": attempt(replace),
    "unlink": attempt(os.unlink, FILE),
    "chmod": attempt(os.chmod, FILE, 0o666),
    "truncate": attempt(os.truncate, FILE, 0),
    "rename parent": attempt(swap, "/work/tests/unit"),
    "rename grandparent": attempt(swap, "/work/tests"),
    "exchange": call(316, -100, b"/work/tests", -100, b"/work", 2),
    "exchange with another": attempt(os.mkdir, "/work/other") and call(316, -100, b"/work/tests", -100, b"/work/other", 2),
    "remove": attempt(os.rmdir, "/work/tests/unit"),
    "link over": attempt(os.symlink, "/tmp", "/work/tests"),
})
with open("/work/tests/unit/beside.py", "w") as out:
    out.write("honest")
with open("/work/code.py", "w") as out:
    out.write("honest")
say("read", open(FILE).read())
`;

function stoodFirm(ran: Ran): void {
  ran.exited();
  assert.equal(ran.fact('started'), original);
  const table = ran.table('table');
  for (const [way, result] of Object.entries(table)) {
    assert.match(result, /^(EBUSY|EROFS|EPERM|EACCES|EXDEV|EEXIST|ENOTEMPTY|EINVAL)$/, way);
  }
  assert.equal(table['rename parent'], 'EBUSY');
  assert.equal(table['rename grandparent'], 'EBUSY');
  assert.equal(ran.fact('read'), original);
}

async function inHostFolder(bench: Bench): Promise<void> {
  const source = bench.openFolder('project');
  for (const folder of ['tests', 'tests/unit']) bench.openFolderAt(path.join(source, folder));
  writeFileSync(path.join(source, 'tests/unit/test_a.py'), 'what the mount must hide');
  const pristine = pristineFile(bench);
  const mounts: Mount[] = [
    { kind: 'rw', source, target: '/work' },
    { kind: 'rw', source: path.join(source, 'tests'), target: '/work/tests' },
    { kind: 'rw', source: path.join(source, 'tests/unit'), target: '/work/tests/unit' },
    { kind: 'ro', source: pristine, target: '/work/tests/unit/test_a.py' },
  ];
  stoodFirm(await bench.run({ argv: python(goAround), mounts }));
  assert.equal(readFileSync(pristine, 'utf8'), original);
  assert.equal(readFileSync(path.join(source, 'code.py'), 'utf8'), 'honest');
}

async function inMemory(bench: Bench): Promise<void> {
  const pristine = pristineFile(bench);
  const folders = ['/work', '/work/tests', '/work/tests/unit'];
  const mounts: Mount[] = [
    ...folders.map((target): Mount => ({ kind: 'tmpfs', target, sizeBytes: 4 << 20 })),
    { kind: 'ro', source: pristine, target: '/work/tests/unit/test_a.py' },
  ];
  stoodFirm(await bench.run({ argv: python(goAround), mounts }));
  assert.equal(readFileSync(pristine, 'utf8'), original);
}

function pristineFile(bench: Bench): string {
  const folder = bench.scratch('pristine');
  mkdirSync(folder);
  const file = path.join(folder, 'test_a.py');
  writeFileSync(file, original);
  return file;
}

export const attacks: Attack<Bench>[] = [
  { number: 36, title: 'a read-only file in a host workspace cannot be gone round', perform: inHostFolder },
  { number: 36, title: 'a read-only file in a workspace in memory cannot be gone round', perform: inMemory },
];
