import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Dealer, Subscriber } from 'zeromq';
import { type Content, type Message, MessageCodec } from './message.ts';
import type { ZeroMq } from './zeromq.ts';

export type Channel = 'shell' | 'control' | 'stdin' | 'iopub';

/** Port numbers of the connection file, which with `ipc` only tell the socket files apart. */
export const ports = { shell: 1, iopub: 2, stdin: 3, control: 4, hb: 5 } as const;

/** What the names of the socket files begin with. Most kernels put `-` before the number, some `:`. */
export const socketName = 's';

/** Larger messages cut the connection. Of one output; the code could fill the runner's memory otherwise. */
const maxMessageBytes = 256 * 2 ** 20;

/** As long as the messages that wait may be handled without a look at timers and other kernels. */
const turnMs = 10;

/** The sockets of one kernel process. */
export class Connection {
  readonly #codec: MessageCodec;
  readonly #sockets: Record<Channel, Dealer | Subscriber>;
  readonly #pinned: number[] = [];
  readonly #onMessage: (channel: Channel, message: Message) => void;
  #sends: Promise<unknown> = Promise.resolve();
  #closed = false;
  /** Messages that could not be read, or were signed with another key. */
  unreadable = 0;

  /** @throws where a socket of `folder` cannot be opened */
  constructor(options: {
    zeromq: ZeroMq;
    /** Of the socket files, on the host. */
    folder: string;
    key: string;
    onMessage: (channel: Channel, message: Message) => void;
  }) {
    const { zeromq, folder } = options;
    this.#codec = new MessageCodec(options);
    this.#onMessage = options.onMessage;
    const common = {
      linger: 0,
      reconnectInterval: 20,
      receiveHighWaterMark: 0,
      maxMessageSize: maxMessageBytes,
    };
    // The kernel sends questions for input to the peer that sent the cell, and knows it by this name.
    const routingId = `assay-${process.pid}-${Math.random().toString(36).slice(2)}`;
    const dealer = () => new zeromq.Dealer({ ...common, sendHighWaterMark: 0, routingId });
    const iopub = new zeromq.Subscriber(common);
    this.#sockets = { shell: dealer(), control: dealer(), stdin: dealer(), iopub };
    try {
      for (const channel of channels) this.#sockets[channel].connect(this.#pin(folder, channel));
      iopub.subscribe();
    } catch (error) {
      this.close();
      throw error;
    }
    for (const channel of channels) void this.#receive(channel);
  }

  /** Sends a request and returns its id. What cannot be sent shows in that nobody answers. */
  send(channel: Exclude<Channel, 'iopub'>, type: string, content: Content): string {
    const { id, frames } = this.#codec.encode(type, content);
    const socket = this.#sockets[channel] as Dealer;
    // A socket takes one message at a time.
    this.#sends = this.#sends.then(() => (this.#closed ? undefined : socket.send(frames))).catch(() => {});
    return id;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const channel of channels) this.#sockets[channel].close();
    for (const fd of this.#pinned.splice(0)) closeSync(fd);
  }

  /**
   * The address of a socket file through a descriptor: the code in the sandbox can put a link to another socket of this
   * machine in its place, and libzmq would follow it when it connects again. This also has room for any path, while
   * a socket address has 107 bytes.
   */
  #pin(folder: string, channel: Channel): string {
    const fd = openSocketFile(folder, channel);
    if (fd === null) throw new Error(`the kernel has made no socket for the ${channel} channel`);
    this.#pinned.push(fd);
    return `ipc:///proc/self/fd/${fd}`;
  }

  async #receive(channel: Channel): Promise<void> {
    const socket = this.#sockets[channel];
    let turnEnds = performance.now() + turnMs;
    while (!this.#closed) {
      let frames: Buffer[];
      try {
        frames = await socket.receive();
      } catch {
        // Closed, here or by the library; the end of the process tells the rest.
        return;
      }
      const message = this.#codec.decode(frames);
      if (message === null) this.unreadable++;
      else if (!this.#closed) this.#onMessage(channel, message);
      if (performance.now() < turnEnds) continue;
      // While messages wait, `receive` gives them without ever letting timers run.
      await new Promise((resolve) => setImmediate(resolve));
      turnEnds = performance.now() + turnMs;
    }
  }
}

const channels: readonly Channel[] = ['shell', 'control', 'stdin', 'iopub'];

/** Whether the kernel has made all the sockets that are used here. */
export function hasSockets(folder: string): boolean {
  return channels.every((channel) => {
    const fd = openSocketFile(folder, channel);
    if (fd !== null) closeSync(fd);
    return fd !== null;
  });
}

/** Opens a name without following it and without any effect on what it stands for. */
const openPathOnly = 0o10000000;

function openSocketFile(folder: string, channel: Channel): number | null {
  for (const separator of ['-', ':']) {
    try {
      const path = join(folder, `${socketName}${separator}${ports[channel]}`);
      const fd = openSync(path, openPathOnly | constants.O_NOFOLLOW);
      if (fstatSync(fd).isSocket()) return fd;
      closeSync(fd);
    } catch {
      // Not there, or not yet.
    }
  }
  return null;
}
