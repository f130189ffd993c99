import { dataOffset, encode, give, type Instruction, jump, load } from './bpf.ts';
import { type Check, type Condition, type Rule, rules } from './rules.ts';
import { type SyscallTable, syscallTable } from './syscalls.ts';

/** SECCOMP_RET_* of linux/seccomp.h. */
export const action = { killProcess: 0x80000000, errno: 0x00050000, allow: 0x7fff0000 };

/**
 * The sandbox's system call filter for `bwrap --seccomp`, or null where this machine's calls are not known.
 *
 * @param arch as in `process.arch`
 */
export function seccompFilter(arch: string): Uint8Array | null {
  const table = syscallTable(arch);
  return table === null ? null : encode(assemble(table, rules));
}

/** System calls of another ABI (32-bit, x32) have other numbers, so they kill; then each rule; all else is allowed. */
export function assemble(table: SyscallTable, ruleSet: readonly Rule[]): Instruction[] {
  const foreign = table.foreignNumbersFrom;
  return [
    load(dataOffset.arch),
    jump('jumpIfEqual', { k: table.auditArch, jt: 1, jf: 0 }),
    give(action.killProcess),
    load(dataOffset.nr),
    ...(foreign === null
      ? []
      : [jump('jumpIfGreaterOrEqual', { k: foreign, jt: 0, jf: 1 }), give(action.killProcess)]),
    ...ruleSet.flatMap((rule) => {
      const body = ruleBody(rule);
      return rule.calls.flatMap((call) => {
        const number = table.numbers[call];
        // A call that this machine does not have needs no rule.
        return number === undefined
          ? []
          : [jump('jumpIfEqual', { k: number, jt: 0, jf: body.length }), ...body];
      });
    }),
    give(action.allow),
  ];
}

/** Every path through the body returns, so the call number need not be loaded again after it. */
function ruleBody({ checks, otherwise }: Rule): Instruction[] {
  return [...checks.flatMap(checkBody), verdict(otherwise)];
}

/** A condition that fails skips the rest of its check: two instructions for each condition after it, and the verdict. */
function checkBody({ when, refusal }: Check): Instruction[] {
  const tests = when.flatMap((condition, index) => test(condition, 2 * (when.length - index - 1) + 1));
  return [...tests, verdict(refusal)];
}

function test({ argument, test: kind, value }: Condition, skip: number): [Instruction, Instruction] {
  const name = kind === 'equal' ? 'jumpIfEqual' : 'jumpIfAnySet';
  return [load(dataOffset.argumentLow(argument)), jump(name, { k: value, jt: 0, jf: skip })];
}

function verdict(refusal: number | null): Instruction {
  return give(refusal === null ? action.allow : action.errno | refusal);
}
