import assert from 'node:assert/strict';
import { printable } from '../../../src/sandbox/index.ts';
import { type Attempt, type Bench, soon } from '../bench.ts';
import type { Attack } from '../context.ts';
import { PYTHON, python } from '../python.ts';

const MiB = 1024 * 1024;
const GiB = 1024 * MiB;

/** Writes 1 GiB to each descriptor of `targets` in turns. No prelude: nothing but the flood is printed. */
function flood(block: string, targets: number[]): Attempt['argv'] {
  const code = `
import os
block = ${block} * 65536
block = block[:65536]
for _ in range((1 << 30) // 65536):
    for target in ${JSON.stringify(targets)}:
        left = block
        while left:
            left = left[os.write(target, left):]
`;
  return [PYTHON, '-c', code];
}

/** Runs and returns the growth of the runner's resident memory at its highest, in bytes. */
async function growth(bench: Bench, attempt: Attempt) {
  const base = process.memoryUsage.rss();
  let highest = base;
  const ran = await bench.run({
    ...attempt,
    onOutput: () => {
      highest = Math.max(highest, process.memoryUsage.rss());
    },
  });
  return { ran, grown: highest - base };
}

function floodCase(title: string, block: string, targets: number[]): Attack<Bench> {
  return {
    number: 10,
    title,
    perform: async (bench) => {
      const { ran, grown } = await growth(bench, { argv: flood(block, targets) });
      ran.ended('output_limit');
      for (const stream of targets.map((target) =>
        target === 1 ? ran.outcome.stdout : ran.outcome.stderr,
      )) {
        assert.ok(stream.totalBytes > 0, 'a stream stayed empty');
        assert.ok(Buffer.byteLength(stream.head + stream.tail) <= 1.1 * MiB);
      }
      const most = Math.max(ran.outcome.stdout.totalBytes, ran.outcome.stderr.totalBytes);
      assert.ok(most > MiB && most < 256 * MiB, `${most} bytes before the kill`);
      assert.ok(grown < 64 * MiB, `the runner grew by ${grown} bytes`);
    },
  };
}

async function drained(bench: Bench): Promise<void> {
  const output = { maxBytes: MiB, onExcess: 'truncate' as const };
  const { ran, grown } = await growth(bench, {
    argv: flood('b"ab"', [1]),
    limits: { output, wallMs: 60_000 },
  });
  ran.exited();
  assert.equal(ran.outcome.stdout.totalBytes, GiB);
  assert.equal(ran.outcome.stdout.truncated, true);
  // V8 frees the buffers that went through it in its own time: under 100 MiB, for 1 GiB as for 4 GiB.
  assert.ok(grown < 160 * MiB, `the runner grew by ${grown} bytes`);
}

async function slowDrip(bench: Bench): Promise<void> {
  const argv = python('while True:\n    os.write(1, b".")\n    time.sleep(0.02)');
  const ran = await bench.run({ argv, limits: { wallMs: soon } });
  ran.ended('timeout');
  assert.ok(ran.outcome.stdout.totalBytes > 5, 'hardly dripped');
}

async function closedOutput(bench: Bench): Promise<void> {
  const argv = python('say("started")\nfor fd in (0, 1, 2): os.close(fd)\ntime.sleep(600)');
  const ran = await bench.run({ argv, limits: { wallMs: soon } });
  ran.fact('started');
  ran.ended('timeout');
}

/** The private channel has a cap of its own. */
async function floodedChannel(bench: Bench): Promise<void> {
  const code = 'say("started")\nwhile True: os.write(int(os.environ["ASSAY_CHANNEL_FD"]), b"x" * 65536)';
  const { ran, grown } = await growth(bench, { argv: python(code), channel: { maxBytes: MiB } });
  ran.fact('started');
  ran.ended('output_limit');
  assert.equal(ran.channel.length, MiB);
  assert.ok(grown < 64 * MiB, `the runner grew by ${grown} bytes`);
}

/** The last process to hold the pipe is a daemon: the end of main ends the run all the same. */
async function heldOutput(bench: Bench): Promise<void> {
  const argv = python('if os.fork() == 0:\n    os.setsid()\n    time.sleep(600)\nsay("main", "gone")');
  const ran = await bench.run({ argv });
  ran.fact('main');
  ran.exited();
}

const escapes = [
  '\x1b[2J\x1b[H',
  '\x1b]52;c;cm0gLXJmIH4=\x07',
  '\x1b]0;title\x1b\\',
  '\x1b]8;;file:///etc/passwd\x1b\\link\x1b]8;;\x1b\\',
  '\x1bP$q"p\x1b\\',
  '\x1b[6n\x1bc\x9b31m\x9d52;c;eA==\x9c',
  'over\rwritten\x08\x7f\x00\x05\x0e',
  '\u202egnp.exe\u2066\u200b',
];

async function terminalEscapes(bench: Bench): Promise<void> {
  const code = `
for descriptor in (1, 2):
    os.write(descriptor, ${JSON.stringify(escapes.join('|'))}.encode())
    os.write(descriptor, b"\\xff\\xfe\\xc3\\n")
`;
  const ran = await bench.run({ argv: python(code) });
  ran.exited();
  for (const text of [ran.stdout, ran.stderr]) {
    assert.ok(text.includes('\x1b]52;c;'), 'the escapes never came');
    const shown = printable(text);
    assert.doesNotMatch(shown, /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
    assert.ok(shown.includes('title') && shown.includes('gnp.exe'), 'the words themselves are lost');
  }
}

/** TIOCSTI types into a terminal. The code has none of the runner's; on one of its own it is refused too. */
async function typeIntoTerminal(bench: Bench): Promise<void> {
  const code = `
import fcntl
TIOCSTI = 0x5412
say("tty", attempt(os.open, "/dev/tty", os.O_RDWR))
for descriptor in (0, 1, 2):
    say("on %d" % descriptor, attempt(fcntl.ioctl, descriptor, TIOCSTI, b"x"))
leader, follower = os.openpty()
say("control", attempt(fcntl.ioctl, follower, 0x5413, b"        "))
say("pty", attempt(fcntl.ioctl, follower, TIOCSTI, b"x"))
say("upper bits", call(16, follower, (1 << 32) | TIOCSTI, b"x"))
`;
  const ran = await bench.run({ argv: python(code) });
  ran.exited();
  assert.match(String(ran.fact('tty')), /^(ENXIO|ENOENT|EPERM|EACCES)$/);
  for (const descriptor of [0, 1, 2]) assert.match(String(ran.fact(`on ${descriptor}`)), /^E/);
  assert.match(
    String(ran.fact('control')),
    /^ok/,
    'the terminal itself does not work, so the refusal proves nothing',
  );
  assert.equal(ran.fact('pty'), 'EPERM');
  assert.equal(ran.fact('upper bits'), 'EPERM');
}

export const attacks: Attack<Bench>[] = [
  floodCase('1 GiB of lines is an output_limit and leaves the runner flat', 'b"a line of output\\n"', [1]),
  floodCase('1 GiB with no newline is an output_limit and leaves the runner flat', 'b"x"', [1]),
  floodCase('1 GiB on both streams is an output_limit and leaves the runner flat', 'b"x"', [1, 2]),
  {
    number: 10,
    title: '1 GiB under truncate is drained to its end and leaves the runner flat',
    perform: drained,
  },
  { number: 10, title: 'a flooded channel is an output_limit', perform: floodedChannel },
  { number: 11, title: 'a slow drip for ever is a timeout', perform: slowDrip },
  { number: 11, title: 'a closed stdout and a sleep is a timeout', perform: closedOutput },
  { number: 11, title: 'a daemon that holds stdout open does not keep the run open', perform: heldOutput },
  { number: 33, title: 'terminal escapes are inert when shown', perform: terminalEscapes },
  { number: 33, title: 'TIOCSTI is refused', perform: typeIntoTerminal },
];
