import { Duplex } from 'node:stream';

/** The host's end of the private channel, that reports when more than `maxBytes` have come in. */
export class CappedChannel extends Duplex {
  readonly #socket: Duplex;
  #received = 0;

  constructor(options: { socket: Duplex; maxBytes: number; onExcess: () => void }) {
    super({ allowHalfOpen: true });
    const { socket, maxBytes, onExcess } = options;
    this.#socket = socket;
    socket.on('data', (bytes: Buffer) => {
      const allowed = bytes.subarray(0, Math.max(0, maxBytes - this.#received));
      this.#received += bytes.length;
      if (this.#received > maxBytes) onExcess();
      if (allowed.length > 0 && !this.push(allowed)) socket.pause();
    });
    socket.on('end', () => this.push(null));
    socket.on('close', () => this.destroy());
    // Nobody may be reading yet: the data waits in the kernel, not here.
    socket.pause();
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    // A dead receiver is told by the outcome, not by an exception in the sender.
    this.#socket.write(bytes, () => done());
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end(() => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}
