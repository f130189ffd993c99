import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Bench } from '../bench.ts';
import type { Attack } from '../context.ts';
import { readOrEmpty } from '../host.ts';
import { PYTHON, python } from '../python.ts';

const project = path.resolve(import.meta.dirname, '../../..');

async function whatCanBeRead(bench: Bench): Promise<void> {
  const { secret } = bench.context;
  assert.ok(Object.values(process.env).includes(secret), 'the runner has no secret in its environment');
  const home = bench.openFolder('home');
  const tools = path.join(home, '.tools');
  mkdirSync(tools);
  writeFileSync(path.join(tools, 'tool'), 'a tool');
  mkdirSync(path.join(home, '.ssh'));
  writeFileSync(path.join(home, '.ssh', 'key'), secret);
  const code = `
def read(file):
    with open(file, "rb") as opened:
        return opened.read().decode("latin-1")
say("tool", read("${tools}/tool"))
say("beside", os.listdir("${home}"))
say("table", {file: attempt(read, file) for file in ("/etc/shadow", "/etc/gshadow", "${home}/.ssh/key", "/root/.bashrc", "/etc/sudoers", "/etc/hostname", "/proc/1/environ", "/proc/kcore", "/proc/kmsg", "/dev/mem", "/dev/kmsg", "/dev/vda", "/dev/sda", "/var/run/docker.sock")})
seen = [read("/proc/self/environ"), read("/proc/self/mountinfo"), read("/proc/self/cgroup"), read("/etc/passwd")]
for pid in (name for name in os.listdir("/proc") if name.isdigit()):
    for file in ("cmdline", "environ", "mountinfo"):
        try:
            if pid != str(os.getpid()): seen.append(read("/proc/%s/%s" % (pid, file)))
        except OSError:
            pass
say("init", read("/proc/1/cmdline"))
for folder, folders, files in os.walk("/"):
    folders[:] = [name for name in folders if os.path.join(folder, name) not in ("/usr", "/proc")]
    seen.extend(os.path.join(folder, name) for name in folders + files)
say("names", len(seen))
say("top", sorted(os.listdir("/")))
say("users", [line.split(":")[0] for line in read("/etc/passwd").split("\\n") if line])
say("processes", len([name for name in os.listdir("/proc") if name.isdigit()]))
sys.stderr.write("\\n".join(seen))
`;
  const ran = await bench.run({
    argv: python(code),
    env: { GIVEN: 'by the test' },
    mounts: [
      { kind: 'tmpfs', target: '/work', sizeBytes: 1 << 20 },
      { kind: 'ro', source: tools, target: tools },
    ],
    limits: { output: { maxBytes: 8 << 20, onExcess: 'kill' } },
  });
  ran.exited();
  assert.equal(ran.fact('tool'), 'a tool');
  assert.deepEqual(ran.fact('beside'), ['.tools']);
  for (const [file, result] of Object.entries(ran.table('table'))) {
    if (file === '/proc/1/environ' && result === 'ok:') continue;
    assert.match(result, /^(ENOENT|EACCES|EPERM|EIO|ENXIO|ENODEV)$/, `${file}: ${JSON.stringify(result)}`);
  }
  assert.ok(ran.number('names') > 100, 'hardly looked');
  assert.ok(
    ran.stderr.includes('by the test') && ran.stderr.includes(tools),
    'the dump lacks what must be in it',
  );
  for (const hidden of [
    secret,
    project,
    'ATTACK_CONTEXT',
    `${path.basename(bench.context.scratch)}/home/.ssh`,
  ]) {
    assert.ok(!(ran.stderr + ran.stdout).includes(hidden), `the code can see ${hidden}`);
  }
  assert.doesNotMatch(String(ran.fact('init')), /--ro-bind|--bind|--tmpfs/, 'the flags show host paths');
  const users = ran.fact('users') as string[];
  assert.ok(users.length <= 4, `users of the host: ${users.join(' ')}`);
  assert.ok(ran.number('processes') < 8);
}

/** Pipes of the runner's; a named one shows the name that all have, and that it is gone. */
const onlyPlumbing =
  /^((pipe|socket|anon_inode):|\/dev\/null$|EACCES|EPERM|\/(tmp|run)\/assay(-\d+)?\/staging\/stream \(deleted\)$)/;

async function inheritedDescriptors(bench: Bench): Promise<void> {
  const { plantedFd, secret } = bench.context;
  const flags = /flags:\s+(\d+)/.exec(readOrEmpty(`/proc/self/fdinfo/${plantedFd}`))?.[1];
  assert.ok(
    flags !== undefined && (Number.parseInt(flags, 8) & 0o2000000) === 0,
    'the planted descriptor is closed on exec',
  );
  assert.ok(readOrEmpty(`/proc/self/fd/${plantedFd}`).includes(secret));
  const bare = execFileSync(PYTHON, ['-c', 'import os; print(os.listdir("/proc/self/fd"))'], {
    encoding: 'utf8',
  });
  assert.ok(bare.includes(`'${plantedFd}'`), 'a plain child does not inherit it either');
  const code = `
found = {}
for descriptor in range(3, 4096):
    try:
        os.fstat(descriptor)
        found[descriptor] = os.readlink("/proc/self/fd/%d" % descriptor)
    except OSError:
        pass
say("own", found)
for pid in ("1", str(os.getppid())):
    try:
        say("of " + pid, {fd: os.readlink("/proc/%s/fd/%s" % (pid, fd)) for fd in os.listdir("/proc/%s/fd" % pid)})
    except OSError as problem:
        say("of " + pid, {"refused": errno.errorcode[problem.errno]})
say("reopened", attempt(lambda: open("/proc/1/fd/${plantedFd}").read()))
`;
  const ran = await bench.run({ argv: python(code) });
  ran.exited();
  assert.deepEqual(ran.fact('own'), {});
  for (const [descriptor, target] of Object.entries(ran.table('of 1'))) {
    assert.match(target, onlyPlumbing, `descriptor ${descriptor} of pid 1`);
  }
  assert.match(String(ran.fact('reopened')), /^E/);
}

/** The one descriptor that a policy may give: a channel, and nothing beside it. */
async function onlyTheChannel(bench: Bench): Promise<void> {
  const code = `
fd = int(os.environ["ASSAY_CHANNEL_FD"])
os.write(fd, b"through the channel")
def is_open(number):
    try:
        os.fstat(number)
        return True
    except OSError:
        return False
say("extra", [number for number in range(3, 4096) if number != fd and is_open(number)])
`;
  const ran = await bench.run({ argv: python(code), channel: { maxBytes: 1000 } });
  ran.exited();
  assert.deepEqual(ran.fact('extra'), []);
  assert.equal(Buffer.from(ran.channel).toString(), 'through the channel');
}

const kernelFiles = [
  '/proc/sys/kernel/core_pattern',
  '/proc/sys/kernel/modprobe',
  '/proc/sys/kernel/hostname',
  '/proc/sys/vm/overcommit_memory',
  '/proc/sys/fs/binfmt_misc/register',
  '/proc/sys/net/ipv4/ip_forward',
  '/proc/sys/user/max_user_namespaces',
  '/proc/irq/default_smp_affinity',
  '/proc/sysrq-trigger',
  '/proc/self/uid_map',
  '/proc/self/gid_map',
  '/proc/self/setgroups',
  '/sys/kernel/uevent_helper',
  '/sys/fs/cgroup/cgroup.procs',
  '/sys/power/state',
];

/** Opened for writing and nothing written, so that a hole in the sandbox does the host no harm. */
async function kernelSettings(bench: Bench): Promise<void> {
  const before = readFileSync('/proc/sys/kernel/core_pattern', 'utf8');
  const code = `
table = {}
for file in ${JSON.stringify(kernelFiles)}:
    for root in ("", "/proc/self/root", "/proc/self/task/%d/root" % os.getpid(), "/proc/1/root"):
        for name, flags in (("write", os.O_WRONLY), ("both", os.O_RDWR)):
            table["%s%s %s" % (root, file, name)] = attempt(os.open, root + file, flags)
table["chmod"] = attempt(os.chmod, "/proc/sys/kernel/core_pattern", 0o666)
table["create"] = attempt(os.mkdir, "/sys/owned") if os.path.exists("/sys") else "ENOENT"
def lower(pid):
    with open("/proc/%s/oom_score_adj" % pid, "w", 1) as score:
        score.write("-1000\\n")
for pid in ("self", "1"):
    table["oom_score_adj of " + pid] = attempt(lower, pid)
say("there", [file for file in ${JSON.stringify(kernelFiles)} if os.path.lexists(file)])
say("readable", open("/proc/sys/kernel/ostype").read())
say("table", table)
`;
  const ran = await bench.run({ argv: python(code) });
  ran.exited();
  assert.equal(String(ran.fact('readable')).trim(), 'Linux');
  const there = ran.fact('there') as string[];
  assert.ok(there.includes('/proc/sys/kernel/core_pattern'), 'there was nothing to write to');
  for (const [file, result] of Object.entries(ran.table('table'))) {
    if (/\/(proc\/self\/(uid_map|gid_map|setgroups))/.test(file) && result.startsWith('ok')) continue;
    assert.match(result, /^(EACCES|EPERM|EROFS|ENOENT)$/, file);
  }
  assert.equal(readFileSync('/proc/sys/kernel/core_pattern', 'utf8'), before);
}

export const attacks: Attack<Bench>[] = [
  { number: 21, title: 'no secret and no host path can be read', perform: whatCanBeRead },
  { number: 22, title: 'no inherited descriptor is open', perform: inheritedDescriptors },
  { number: 22, title: 'with a channel, that one descriptor is open and no other', perform: onlyTheChannel },
  { number: 35, title: 'kernel settings cannot be written', perform: kernelSettings },
];
