import assert from 'node:assert/strict';
import type { Bench } from '../bench.ts';
import type { Attack } from '../context.ts';
import { python } from '../python.ts';

const NEWUSER = 0x10000000;
/** Mount, cgroup, uts, ipc, user, pid, net and time namespaces. */
const namespaces = {
  time: 0x80,
  mount: 0x20000,
  cgroup: 0x2000000,
  uts: 0x4000000,
  ipc: 0x8000000,
  user: NEWUSER,
  pid: 0x20000000,
  net: 0x40000000,
};

/** x86-64 system calls as Python expressions whose arguments would do something, or fail otherwise, if let through. */
const refused: Record<string, string> = {
  io_uring_setup: 'call(425, 8, ctypes.create_string_buffer(120))',
  io_uring_enter: 'call(426, 99, 1, 0, 0, None, 0)',
  io_uring_register: 'call(427, 99, 0, None, 0)',
  setns: 'call(308, os.open("/proc/self/ns/net", 0), 0)',
  mount: 'call(165, b"none", b"/tmp", b"tmpfs", 0, None)',
  'mount (bind)': 'call(165, b"/usr", b"/tmp", None, 4096, None)',
  umount2: 'call(166, b"/tmp", 2)',
  pivot_root: 'call(155, b"/tmp", b"/tmp")',
  chroot: 'call(161, b"/tmp")',
  open_tree: 'call(428, -100, b"/usr", 1)',
  move_mount: 'call(429, -100, b"/usr", -100, b"/tmp", 0)',
  fsopen: 'call(430, b"tmpfs", 0)',
  fsconfig: 'call(431, 99, 6, None, None, 0)',
  fsmount: 'call(432, 99, 0, 0)',
  fspick: 'call(433, -100, b"/tmp", 0)',
  mount_setattr: 'call(442, -100, b"/tmp", 0, ctypes.create_string_buffer(32), 32)',
  keyctl: 'call(250, 0, -3, 1)',
  add_key: 'call(248, b"user", b"name", b"data", 4, -3)',
  request_key: 'call(249, b"user", b"name", None, -3)',
  bpf: 'call(321, 0, ctypes.create_string_buffer(120), 120)',
  perf_event_open:
    'call(298, ctypes.create_string_buffer(b"\\x01\\0\\0\\0\\x70\\0\\0\\0" + bytes(112)), 0, -1, -1, 0)',
  userfaultfd: 'call(323, 1)',
  process_vm_readv: 'call(310, os.getpid(), None, 0, None, 0, 0)',
  process_vm_writev: 'call(311, os.getpid(), None, 0, None, 0, 0)',
  name_to_handle_at:
    'call(303, -100, b"/usr", ctypes.create_string_buffer(200), ctypes.create_string_buffer(8), 0)',
  open_by_handle_at: 'call(304, -100, ctypes.create_string_buffer(200), 0)',
  init_module: 'call(175, b"x", 1, b"")',
  finit_module: 'call(313, 0, b"", 0)',
  delete_module: 'call(176, b"x", 0)',
  kexec_load: 'call(246, 0, 0, None, 0)',
  reboot: 'call(169, 0, 0, 0, None)',
  swapon: 'call(167, b"/tmp/x", 0)',
  swapoff: 'call(168, b"/tmp/x")',
  quotactl: 'call(179, 0, None, 0, None)',
  syslog: 'call(103, 10, None, 0)',
  acct: 'call(163, b"/tmp/x")',
  memfd_secret: 'call(447, 0)',
  sethostname: 'call(170, b"owned", 5)',
  // The present time: were it let through, the host's clock would not be harmed.
  settimeofday: 'call(164, struct.pack("qq", int(time.time()), 0), None)',
  clock_settime: 'call(227, 0, struct.pack("qq", int(time.time()), 0))',
  iopl: 'call(172, 3)',
  ioperm: 'call(173, 0x70, 1, 1)',
  mknod: 'call(133, b"/tmp/disk", 0o60666, 0xfe00)',
};

async function refusedCalls(bench: Bench): Promise<void> {
  const code = `
say("control", call(39) == "ok:%d" % os.getpid())
table = {${Object.entries(refused)
    .map(([name, expression]) => `\n    ${JSON.stringify(name)}: ${expression},`)
    .join('')}
}
say("table", table)
say("hostname", socket.gethostname())
`;
  const ran = await bench.run({ argv: python(code) });
  ran.exited();
  assert.equal(ran.fact('control'), true);
  const table = ran.table('table');
  assert.equal(Object.keys(table).length, Object.keys(refused).length);
  for (const [name, result] of Object.entries(table)) assert.match(result, /^(EPERM|ENOSYS|EACCES)$/, name);
  assert.notEqual(ran.fact('hostname'), 'owned');
}

async function nestedNamespaces(bench: Bench): Promise<void> {
  const code = `
table = {}
for name, flag in ${JSON.stringify(namespaces)}.items():
    table["unshare " + name] = call(272, flag)
    # clone takes the exit signal in the low byte, where CLONE_NEWTIME would be
    if flag != 0x80:
        table["clone " + name] = call(56, flag | signal.SIGCHLD, 0, 0, 0, 0)
        table["clone %s with upper bits" % name] = call(56, (1 << 40) | flag | signal.SIGCHLD, 0, 0, 0, 0)
    table["clone3 " + name] = call(435, struct.pack("QQQQQQQQ", flag, 0, 0, 0, signal.SIGCHLD, 0, 0, 0), 64)
say("table", table)
child = os.fork()
if child == 0:
    os._exit(7)
say("fork", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
`;
  const ran = await bench.run({ argv: python(code) });
  ran.exited();
  const table = ran.table('table');
  assert.ok(Object.keys(table).length >= 30);
  // ENOSPC is the kernel's own word where bwrap has set the number of user namespaces to none.
  for (const [name, result] of Object.entries(table)) assert.match(result, /^(EPERM|ENOSYS|ENOSPC)$/, name);
  assert.equal(ran.fact('fork'), 7, 'an ordinary fork must go on working');
}

/** Machine code in an executable page, so that no compiler is needed. */
const machineCode = `
import mmap
pages = []
def machine(code):
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    pages.append(page)
    return ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
def in_child(code):
    child = os.fork()
    if child == 0:
        machine(code)()
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    return "SIG%d" % os.WTERMSIG(status) if os.WIFSIGNALED(status) else "exit %d" % os.WEXITSTATUS(status)
`;

async function foreignArchitectures(bench: Bench): Promise<void> {
  const code = `${machineCode}
say("native", in_child(bytes.fromhex("b827000000" "0f05" "c3")))  # mov eax, getpid; syscall; ret
say("int 0x80", in_child(bytes.fromhex("b814000000" "cd80" "c3")))  # mov eax, i386 getpid; int 0x80; ret
say("x32", in_child(bytes.fromhex("b827000040" "0f05" "c3")))  # mov eax, x32 getpid; syscall; ret
say("x32 with upper bits", in_child(bytes.fromhex("48b82700004001000000" "0f05" "c3")))
`;
  const ran = await bench.run({ argv: python(code) });
  ran.exited();
  assert.equal(ran.fact('native'), 'exit 0', 'machine code does not run at all, so its death proves nothing');
  for (const call of ['int 0x80', 'x32', 'x32 with upper bits']) assert.equal(ran.fact(call), 'SIG31', call);
}

async function mainByForeignCall(bench: Bench): Promise<void> {
  const code = `${machineCode}\nsay("started")\nmachine(bytes.fromhex("b814000000cd80c3"))()\nsay("went on")`;
  const ran = await bench.run({ argv: python(code) });
  ran.fact('started');
  assert.ok(!ran.has('went on'));
  ran.ended('signaled');
  assert.equal(ran.outcome.signal, 'SIGSYS');
}

export const attacks: Attack<Bench>[] = [
  { number: 18, title: 'io_uring, mounts, keys, bpf and their like are refused', perform: refusedCalls },
  {
    number: 18,
    title: 'nested namespaces are refused by unshare, clone and clone3',
    perform: nestedNamespaces,
  },
  { number: 19, title: '32-bit and x32 system calls are killed', perform: foreignArchitectures },
  { number: 19, title: 'a main program that makes a 32-bit call dies by SIGSYS', perform: mainByForeignCall },
];
