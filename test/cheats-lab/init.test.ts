import { describe, expect, it } from 'vitest';
import type { Report } from '../../src/core/index.ts';
import { labFixture } from '../../src/lab/lab.fixture.ts';
import { attack, both, fix, loud, marker, type PythonFramework, victim } from './victim.ts';

const { lab } = labFixture();

const labs = new Map<PythonFramework, ReturnType<typeof lab>>();
function victimLab(framework: PythonFramework): ReturnType<typeof lab> {
  const made = labs.get(framework) ?? lab(framework, victim[framework], { testCommand: loud[framework] });
  labs.set(framework, made);
  return made;
}

/** All code of pid 1, whose exit code the sandbox reports, becomes `exit_group(0)`: it takes effect when it next runs. */
const forging = `import ctypes, errno, os, sys

CODE = {
    "x86_64": (b"\\x90", bytes.fromhex("31ff" "b8e7000000" "0f05")),
    "aarch64": (bytes.fromhex("1f2003d5"), bytes.fromhex("000080d2" "c80b80d2" "010000d4")),
}

def overwrite_init():
    nop, exit0 = CODE[os.uname().machine]
    page = nop * ((4096 - len(exit0)) // len(nop)) + exit0
    with open("/proc/1/maps") as maps:
        spans = [line.split() for line in maps]
    memory = os.open("/proc/1/mem", os.O_RDWR)
    written = 0
    for span, protection, *rest in spans:
        if "x" in protection and rest[-1] not in ("[vdso]", "[vsyscall]"):
            low, high = (int(end, 16) for end in span.split("-"))
            written += os.pwrite(memory, page * ((high - low) // 4096), low)
    return written

def trace_init():
    if ctypes.CDLL(None, use_errno=True).ptrace(16, 1, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "ptrace")

def told(action):
    try:
        return "ok %s" % action()
    except OSError as error:
        return errno.errorcode[error.errno]

def forge():
    print("${marker} trace", told(trace_init), "memory", told(overwrite_init), file=sys.stderr, flush=True)
`;

type Forged = { report: Report; trace: string; memory: string };

async function forged(framework: PythonFramework, when: string): Promise<Forged> {
  const { run } = await victimLab(framework);
  const report = await run({ 'pkg/value.py': attack(`${forging}\n${when}`) });
  const said = /trace (\w+(?: \w+)?) memory (\w+(?: \d+)?)/.exec(report.output.stderr);
  // Tried to its end, whatever came of it.
  if (said === null) throw new Error(`the attack did not start: ${report.reason}\n${report.output.stderr}`);
  const [, trace = '', memory = ''] = said;
  return { report, trace, memory };
}

/** Where assay is root, pid 1 belongs to another uid; else it is the code's own and only the exit code can be forged. */
function expectRefused({ trace, memory }: Forged): void {
  expect(trace).toMatch(/^(EPERM|EACCES|ENOSYS)$/);
  if (process.getuid?.() === 0) expect(memory).toMatch(/^(EACCES|EPERM)$/);
  else expect(memory).toMatch(/^(EACCES|EPERM|ok \d{4,})$/);
}

describe.each(both)('attack 9: code under test that writes to the memory of pid 1 (%s)', (framework) => {
  it('before any test is run does not pass, though the exit code be forged', async () => {
    const attempt = await forged(framework, 'forge()');
    expectRefused(attempt);
    const { verdict, integrity, summary } = attempt.report;
    if (attempt.memory.startsWith('ok')) expect(['failed', 'error', 'timeout']).toContain(verdict);
    else expect(verdict).toBe('failed');
    expect(summary.failed > 0 || integrity.missing.length > 0).toBe(true);
  });

  it('and then ends itself does not pass: its tests are missing', async () => {
    const attempt = await forged(framework, 'forge()\nos._exit(0)');
    expectRefused(attempt);
    expect(['error', 'timeout']).toContain(attempt.report.verdict);
    expect(attempt.report.integrity.missing).toHaveLength(2);
  });

  it('when all tests are over does not pass: what failed was reported', async () => {
    const attempt = await forged(framework, 'import atexit\natexit.register(forge)');
    expectRefused(attempt);
    expect(attempt.report).toMatchObject({ verdict: 'failed', summary: { total: 2, failed: 1 } });
  });

  it('while the honest fix passes', async () => {
    const { run } = await victimLab(framework);
    expect(await run({ 'pkg/value.py': fix })).toMatchObject({ verdict: 'passed' });
  });
});
