/** One classic BPF instruction, `struct sock_filter` of linux/filter.h. */
export type Instruction = { code: number; jt: number; jf: number; k: number };

/** The opcodes that seccomp filters need (linux/bpf_common.h): class | size or operation | source. */
export const opcode = {
  loadWord: 0x20,
  jumpIfEqual: 0x15,
  jumpIfGreaterOrEqual: 0x35,
  jumpIfAnySet: 0x45,
  return: 0x06,
};

/** Offsets into `struct seccomp_data` (linux/seccomp.h). */
export const dataOffset = {
  nr: 0,
  arch: 4,
  /** Low half of an argument; the two supported machines are little-endian. */
  argumentLow: (index: number) => 16 + 8 * index,
};

/** Loads the 32-bit word at `offset` of `seccomp_data` into the accumulator. */
export const load = (offset: number): Instruction => ({ code: opcode.loadWord, jt: 0, jf: 0, k: offset });

/** Ends the filter with a `SECCOMP_RET_*` value. */
export const give = (action: number): Instruction => ({ code: opcode.return, jt: 0, jf: 0, k: action });

/** Skips `jt` instructions where the comparison holds and `jf` where it does not. */
export function jump(
  test: 'jumpIfEqual' | 'jumpIfGreaterOrEqual' | 'jumpIfAnySet',
  options: { k: number; jt: number; jf: number },
): Instruction {
  return { code: opcode[test], ...options };
}

/** The longest program the kernel takes (BPF_MAXINSNS). */
const maxInstructions = 4096;

/** The program as the kernel and `bwrap --seccomp` read it. @throws Error where a jump or the length is out of range */
export function encode(program: readonly Instruction[]): Uint8Array {
  if (program.length > maxInstructions) throw new Error(`${program.length} BPF instructions are too many`);
  const bytes = new DataView(new ArrayBuffer(8 * program.length));
  program.forEach(({ code, jt, jf, k }, index) => {
    const next = index + 1 + Math.max(jt, jf);
    if (jt > 255 || jf > 255 || (next >= program.length && code !== opcode.return)) {
      throw new Error(`BPF instruction ${index} jumps out of range`);
    }
    bytes.setUint16(8 * index, code, true);
    bytes.setUint8(8 * index + 2, jt);
    bytes.setUint8(8 * index + 3, jf);
    bytes.setUint32(8 * index + 4, k, true);
  });
  return new Uint8Array(bytes.buffer);
}
