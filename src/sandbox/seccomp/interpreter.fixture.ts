import { type Instruction, opcode } from './bpf.ts';

/** What the kernel hands to a filter; arguments are 64 bits wide. */
export type SeccompData = { arch: number; nr: number; args: bigint[] };

/** Runs a filter as the kernel would, over the instructions a seccomp filter may hold that ours uses. */
export function interpret(program: readonly Instruction[], data: SeccompData): number {
  const memory = new DataView(new ArrayBuffer(64));
  memory.setUint32(0, data.nr, true);
  memory.setUint32(4, data.arch, true);
  data.args.forEach((value, index) => {
    memory.setBigUint64(16 + 8 * index, BigInt.asUintN(64, value), true);
  });
  let accumulator = 0;
  for (let at = 0; ; at++) {
    const instruction = program[at];
    if (instruction === undefined) throw new Error(`fell off the end at ${at}`);
    const { code, jt, jf, k } = instruction;
    switch (code) {
      case opcode.loadWord:
        accumulator = memory.getUint32(k, true);
        break;
      case opcode.jumpIfEqual:
        at += accumulator === k >>> 0 ? jt : jf;
        break;
      case opcode.jumpIfGreaterOrEqual:
        at += accumulator >= k >>> 0 ? jt : jf;
        break;
      case opcode.jumpIfAnySet:
        at += (accumulator & k) !== 0 ? jt : jf;
        break;
      case opcode.return:
        return k >>> 0;
      default:
        throw new Error(`unknown instruction ${code}`);
    }
  }
}

/** Instructions from the bytes that go to the kernel. */
export function decode(bytes: Uint8Array): Instruction[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.length / 8 }, (_, index) => ({
    code: view.getUint16(8 * index, true),
    jt: view.getUint8(8 * index + 2),
    jf: view.getUint8(8 * index + 3),
    k: view.getUint32(8 * index + 4, true),
  }));
}
