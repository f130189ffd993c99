import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { action, assemble, seccompFilter } from './filter.ts';
import { decode, interpret } from './interpreter.fixture.ts';
import { type Condition, errno, type Rule, rules } from './rules.ts';
import { arm64, type Syscall, type SyscallTable, x64 } from './syscalls.ts';

const tables = { x64, arm64 };
const kill = action.killProcess >>> 0;
const fails = (number: number) => (action.errno | number) >>> 0;

/** The rules as one would read them aloud, to check the assembled program against. */
function expected(table: SyscallTable, data: { arch: number; nr: number; args: bigint[] }): number {
  if (data.arch !== table.auditArch) return kill;
  if (table.foreignNumbersFrom !== null && data.nr >= table.foreignNumbersFrom) return kill;
  const rule = rules.find(({ calls }) => calls.some((call) => table.numbers[call] === data.nr));
  if (rule === undefined) return action.allow;
  const holds = ({ argument, test, value }: Condition) => {
    const low = Number(BigInt.asUintN(32, data.args[argument] ?? 0n));
    return test === 'equal' ? low === value >>> 0 : (low & value) !== 0;
  };
  const check = rule.checks.find(({ when }) => when.every(holds));
  const refusal = check === undefined ? rule.otherwise : check.refusal;
  return refusal === null ? action.allow : fails(refusal);
}

const interestingValues = rules.flatMap((rule: Rule) =>
  rule.checks.flatMap(({ when }) => when.map(({ value }) => BigInt(value >>> 0))),
);

const argument = fc.oneof(
  fc.constantFrom(...interestingValues, 0n, 0x10000000n, 0x20000n),
  fc.bigInt({ min: 0n, max: 0xffffffffffffffffn }),
  // The kernel ignores the upper half; so must the filter.
  fc.constantFrom(...interestingValues).map((value) => value | 0xabcd00000000n),
);

describe.each(Object.entries(tables))('the filter of %s', (_name, table) => {
  const program = assemble(table, rules);
  const run = (call: Syscall, ...args: bigint[]) =>
    interpret(program, { arch: table.auditArch, nr: table.numbers[call] ?? -1, args });

  it('decides as the rules read, for any call and arguments', () => {
    const named = Object.values(table.numbers);
    const data = fc.record({
      arch: fc.oneof(
        { weight: 9, arbitrary: fc.constant(table.auditArch) },
        fc.integer({ min: 0, max: 0xffffffff }),
      ),
      nr: fc.oneof(fc.constantFrom(...named), fc.integer({ min: 0, max: 0xffffffff })),
      args: fc.array(argument, { minLength: 6, maxLength: 6 }),
    });
    fc.assert(
      fc.property(data, (call) => {
        expect(interpret(program, call)).toBe(expected(table, call));
      }),
      { numRuns: 5000 },
    );
  });

  it('has one number for each call', () => {
    const numbers = Object.values(table.numbers);
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  it('names a call in one rule only, as the first decides', () => {
    const calls = rules.flatMap((rule) => rule.calls);
    expect(new Set(calls).size).toBe(calls.length);
  });

  it('kills another architecture', () => {
    expect(interpret(program, { arch: 0x40000003, nr: 20, args: [] })).toBe(kill);
  });

  it('refuses new namespaces and lets threads and processes through', () => {
    const thread = 0x3d0f00n;
    expect(run('clone', thread)).toBe(action.allow);
    expect(run('clone', 17n)).toBe(action.allow);
    for (const flag of [
      0x20000n,
      0x2000000n,
      0x4000000n,
      0x8000000n,
      0x10000000n,
      0x20000000n,
      0x40000000n,
    ]) {
      expect(run('clone', thread | flag)).toBe(fails(errno.EPERM));
      expect(run('unshare', flag)).toBe(fails(errno.EPERM));
    }
    expect(run('clone3')).toBe(fails(errno.ENOSYS));
  });

  it('knows sockets of this machine and the route protocol only', () => {
    expect(run('socket', 1n, 1n, 0n)).toBe(action.allow);
    expect(run('socket', 2n, 1n, 6n)).toBe(action.allow);
    expect(run('socket', 10n, 2n, 17n)).toBe(action.allow);
    expect(run('socket', 16n, 3n, 0n)).toBe(action.allow);
    expect(run('socket', 16n, 3n, 9n)).toBe(fails(errno.EAFNOSUPPORT));
    expect(run('socket', 40n, 1n, 0n)).toBe(fails(errno.EAFNOSUPPORT));
    expect(run('socketpair', 1n, 1n, 0n)).toBe(action.allow);
    expect(run('socketpair', 30n, 1n, 0n)).toBe(fails(errno.EAFNOSUPPORT));
  });

  it('refuses to type into a terminal and lets other ioctls through', () => {
    expect(run('ioctl', 0n, 0x5412n)).toBe(fails(errno.EPERM));
    expect(run('ioctl', 0n, 0xffffffff00005412n)).toBe(fails(errno.EPERM));
    expect(run('ioctl', 0n, 0x541cn)).toBe(fails(errno.EPERM));
    expect(run('ioctl', 0n, 0x5401n)).toBe(action.allow);
  });
});

it('kills x32 calls, whose numbers carry a mark', () => {
  const program = assemble(x64, rules);
  for (const nr of [0x40000000, 0x40000000 + 520, 0xffffffff]) {
    expect(interpret(program, { arch: x64.auditArch, nr, args: [] })).toBe(kill);
  }
});

it('is bytes as the kernel reads them', () => {
  const bytes = seccompFilter('x64') ?? new Uint8Array();
  expect(decode(bytes).map(({ k }) => k >>> 0)).toEqual(assemble(x64, rules).map(({ k }) => k >>> 0));
  expect(bytes.length).toBeLessThan(8 * 4096);
});

it('does not exist for machines without a table', () => {
  expect(seccompFilter('riscv64')).toBeNull();
  expect(seccompFilter('ia32')).toBeNull();
});
