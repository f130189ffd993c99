import { AssayError } from '../../core/index.ts';
import type { Kernel } from '../../kernel/index.ts';
import { machineError } from '../../store/index.ts';
import type { EvidenceSource } from './evidence-port.ts';

/** Opens the kernel of a run on the initial files; `onSpill` takes the whole of streams that are cut. */
export type OpenKernel = (options: {
  signal: AbortSignal;
  onSpill: (stream: 'stdout' | 'stderr', piece: Uint8Array) => void;
}) => Promise<Kernel>;

/** The beginnings of streams that were cut; `lostBytes`: what came of them when no more was held. */
export type Spilled = { stdout: Uint8Array | null; stderr: Uint8Array | null; lostBytes: number };

/** The one kernel of a process, from before it is needed until the process is done with the run. */
export type KernelHolder = {
  /** Begins to open it in the background: it starts while the model thinks. */
  start(signal: AbortSignal): void;
  /** @throws what opening throws */
  open(signal: AbortSignal): Promise<Kernel>;
  /** The open kernel. */
  kernel(): Kernel;
  watch(evidence: EvidenceSource): void;
  evidence(): EvidenceSource;
  /** What spills from now on is of another cell. */
  beginCell(): void;
  spilled(): Spilled;
  /** Interrupts the cell that runs, if any. */
  interrupt(): Promise<void>;
  close(): Promise<void>;
};

/** Bytes held of streams that are cut; more is not kept anywhere. Taking secrets out of them needs several times that. */
const maxSpill = 32 * 1024 * 1024;

export function holdKernel(
  openKernel: OpenKernel,
  { maxSpillBytes = maxSpill }: { maxSpillBytes?: number } = {},
): KernelHolder {
  let opening: Promise<Kernel> | null = null;
  let opened: Kernel | null = null;
  let watched: EvidenceSource | null = null;
  let spill = nothingSpilled();
  const onSpill = (stream: 'stdout' | 'stderr', piece: Uint8Array) => {
    // A beginning without a gap: once something is left out, so is all that comes later.
    const room = spill.lostBytes > 0 ? 0 : Math.max(0, maxSpillBytes - spill.bytes);
    const held = wholeCharacters(piece, room);
    spill.bytes += held.length;
    spill.lostBytes += piece.length - held.length;
    if (held.length > 0) spill[stream].push(Uint8Array.from(held));
  };
  const begin = (signal: AbortSignal): Promise<Kernel> => {
    opening ??= openKernel({ signal, onSpill }).then((kernel) => {
      opened = kernel;
      return kernel;
    });
    return opening;
  };
  return {
    start(signal) {
      // What goes wrong is told to the effect that needs the kernel.
      begin(signal).catch(() => undefined);
    },
    open: begin,
    kernel() {
      if (opened === null) throw new Error('the kernel is not open');
      return opened;
    },
    watch(evidence) {
      watched = evidence;
    },
    evidence() {
      if (watched === null) throw new Error('nothing looks at the kernel');
      return watched;
    },
    beginCell() {
      spill = nothingSpilled();
    },
    spilled: () => ({
      stdout: joined(spill.stdout),
      stderr: joined(spill.stderr),
      lostBytes: spill.lostBytes,
    }),
    async interrupt() {
      await opened?.interrupt();
    },
    async close() {
      const kernel = await opening?.catch(() => null);
      await kernel?.close();
    },
  };
}

/** The beginning of UTF-8 text: half a character would make it no text, from which no secrets are taken out. */
function wholeCharacters(text: Uint8Array, maxBytes: number): Uint8Array {
  let end = Math.min(maxBytes, text.length);
  while (end > 0 && ((text[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return text.subarray(0, end);
}

const nothingSpilled = () => ({
  stdout: [] as Uint8Array[],
  stderr: [] as Uint8Array[],
  bytes: 0,
  lostBytes: 0,
});

const joined = (pieces: readonly Uint8Array[]): Uint8Array | null =>
  pieces.length === 0 ? null : Buffer.concat(pieces);

/** What a failure of the kernel says to the user; anything that is no failure of the machine is a bug, and thrown. */
export function lossOf(thrown: unknown): { detail: string; fix: string } {
  const error = machineError(thrown) ?? thrown;
  if (!AssayError.is(error) || error.code === 'internal') throw thrown;
  const because = error.because === undefined ? '' : `: ${error.because}`;
  return { detail: `${error.message}${because}`, fix: error.fix };
}
