import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { AssayError } from '../../../src/core/index.ts';
import { parseJson, readJunit } from '../../../src/lab/index.ts';
import { printable, readResultFile } from '../../../src/sandbox/index.ts';
import type { Bench } from '../bench.ts';
import type { Attack } from '../context.ts';
import { python } from '../python.ts';

const MiB = 1024 * 1024;
const TiB = 1024 * 1024 * MiB;

/** Runs a program that leaves things in a host folder, and gives that folder to be read from. */
async function leaveBehind(bench: Bench, code: string) {
  const root = bench.openFolder('results');
  const ran = await bench.run({
    argv: python(code),
    mounts: [{ kind: 'rw', source: root, target: '/work' }],
    limits: { fileBytes: 2 * TiB, memoryBytes: 512 * MiB },
  });
  ran.exited();
  return { root, ran, read: (name: string) => readResultFile({ root, path: name, maxBytes: 16 * MiB }) };
}

/** A name in the folder, and what is left there. The runner would have read `honest`. */
const traps: Record<string, string> = {
  link: 'os.symlink("HOST", "link")',
  'link to passwd': 'os.symlink("/etc/passwd", "link to passwd")',
  'link to itself': 'os.symlink("link to itself", "link to itself")',
  'link out by dots': 'os.symlink("../" * 30 + "etc/passwd", "link out by dots")',
  'link to a device': 'os.symlink("/dev/zero", "link to a device")',
  'link to a process': 'os.symlink("/proc/self/environ", "link to a process")',
  'linked folder/passwd': 'os.symlink("/etc", "linked folder")',
  'deep/linked/passwd': 'os.makedirs("deep"); os.symlink("/etc", "deep/linked")',
  fifo: 'os.mkfifo("fifo", 0o666)',
  socket: 'socket.socket(socket.AF_UNIX).bind("socket")',
  folder: 'os.mkdir("folder")',
  'fifo folder/x': 'os.mkfifo("fifo folder")',
  sparse: 'os.truncate(os.open("sparse", os.O_CREAT | os.O_RDWR), 1 << 40)',
  large: 'os.truncate(os.open("large", os.O_CREAT | os.O_RDWR), (16 << 20) + 1)',
};

async function trappedResults(bench: Bench): Promise<void> {
  const { secret } = bench.context;
  const host = bench.scratch('host-file');
  writeFileSync(host, secret);
  const code = `
os.chdir("/work")
${Object.values(traps).join('\n').replace('HOST', host)}
say("device", attempt(os.mknod, "device", 0o20666, os.makedev(1, 5)))
with open("honest", "w") as out:
    out.write("an honest result")
say("left", sorted(os.listdir(".")))
`;
  const { ran, read } = await leaveBehind(bench, code);
  for (const name of Object.keys(traps)) {
    const [top = ''] = name.split('/');
    assert.ok((ran.fact('left') as string[]).includes(top), `${name} was never left`);
    const result = read(name);
    assert.match(result.kind, /refused|missing/, `${name} was read`);
  }
  assert.equal(ran.fact('device'), 'EPERM');
  assert.equal(read('nothing').kind, 'missing');
  const honest = read('honest');
  assert.ok(honest.kind === 'file' && Buffer.from(honest.bytes).toString() === 'an honest result');
  assert.equal(readFileSync(host, 'utf8'), secret);
}

/** Names that the code reports for its artifacts; the runner joins none of them to a path of its own. */
const names = `
reported = ["../escape", "../../../../etc/passwd", "/etc/passwd", "a/../../b", "./x", "a//b", "a/", "", ".", "..", "a\\nb", "a\\rb", "a\\x1b[2Jb", "nul\\0.png",
    "x" * 4096, "x/" * 2048 + "x", "y" * 256, b"\\xff\\xfe.png".decode("utf-8", "surrogateescape"), "over\\u202egnp.exe", "back\\\\slash", "zero\\u200bwidth"]
on_disk = [b"line\\nbreak", b"\\xff\\xfe.png", b"esc\\x1b[2J", b"..\\\\up", b"z" * 255, "rtl\\u202egnp".encode()]
os.chdir("/work")
for name in on_disk + [b"chart.png"]:
    with open(name, "w") as out:
        out.write("x")
say("reported", reported)
say("on disk", len(os.listdir(b".")))
`;

async function hostileNames(bench: Bench): Promise<void> {
  const { root, ran, read } = await leaveBehind(bench, names);
  const reported = ran.fact('reported') as string[];
  assert.equal(reported.length, 21);
  for (const name of reported) {
    const result = read(name);
    assert.equal(result.kind, 'refused', `${JSON.stringify(name.slice(0, 40))}: ${JSON.stringify(result)}`);
  }
  const found = readdirSync(root);
  assert.equal(found.length, ran.number('on disk'));
  const accepted = found.filter((name) => read(name).kind === 'file');
  assert.deepEqual(accepted.sort(), ['chart.png', 'z'.repeat(255)]);
  for (const name of [...reported, ...found]) {
    assert.doesNotMatch(printable(name), /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
  }
}

const bombs = `
os.chdir("/work")
def leave(name, *parts):
    with open(name, "wb") as out:
        for part in parts:
            out.write(part)
entities = b"".join(b'<!ENTITY e%d "%s">' % (level, b"&e%d;" % (level - 1) * 10) for level in range(1, 10))
leave("entities.xml", b'<?xml version="1.0"?><!DOCTYPE t [<!ENTITY e0 "bomb">', entities, b']><testsuites><testsuite name="&e9;"/></testsuites>')
leave("outside.xml", b'<!DOCTYPE t [<!ENTITY x SYSTEM "file:///etc/passwd">]><testsuites>&x;</testsuites>')
leave("deep.xml", b"<testsuites>", b"<testsuite>" * 100000)
leave("cut.xml", b'<testsuites><testsuite name="a"><testcase name="b"')
leave("huge.xml", b"<testsuites><testsuite>", b'<testcase name="a" classname="b"/>' * 3200000, b"</testsuite></testsuites>")
leave("deep.json", b"[" * 100000, b"]" * 100000)
leave("objects.json", b'{"a":' * 100000, b"1", b"}" * 100000)
leave("cut.json", b'{"a": [1, 2')
leave("huge.json", b"[", b"1," * (50 << 20), b"1]")
leave("honest.xml", b'<testsuites><testsuite name="s"><testcase name="t" classname="c" time="0.1"/></testsuite></testsuites>')
leave("honest.json", b'{"passed": [true]}')
say("huge", os.path.getsize("huge.xml"))
`;

async function parserBombs(bench: Bench): Promise<void> {
  const { root, ran, read } = await leaveBehind(bench, bombs);
  assert.ok(ran.number('huge') > 100 * MiB);
  const parse = (name: string, bytes: Uint8Array) =>
    name.endsWith('.xml') ? readJunit(bytes) : parseJson(bytes);
  const base = process.memoryUsage.rss();
  for (const name of readdirSync(root).filter((file) => !file.startsWith('honest'))) {
    const result = read(name);
    assert.equal(result.kind, name.startsWith('huge') ? 'refused' : 'file', name);
    // Also where a caller read the whole file in some other way.
    const bytes = readFileSync(path.join(root, name));
    assert.throws(
      () => parse(name, bytes),
      (error) => AssayError.is(error) && error.code === 'input' && error.fix !== '',
      name,
    );
  }
  const grown = process.memoryUsage.rss() - base;
  assert.ok(grown < 512 * MiB, `reading refused files cost ${grown} bytes`);
  const xml = read('honest.xml');
  const json = read('honest.json');
  assert.ok(xml.kind === 'file' && json.kind === 'file');
  assert.equal(readJunit(xml.bytes).cases[0]?.name, 't');
  assert.deepEqual(parseJson(json.bytes), { passed: [true] });
}

export const attacks: Attack<Bench>[] = [
  {
    number: 14,
    title: 'a result that is no plain file is refused, and no host file read',
    perform: trappedResults,
  },
  { number: 15, title: 'hostile artifact names are rejected, and inert when shown', perform: hostileNames },
  { number: 16, title: 'XML and JSON bombs are typed errors within a cap', perform: parserBombs },
];
