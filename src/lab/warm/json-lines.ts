import type { Duplex } from 'node:stream';

/** JSON messages over a duplex stream, one per line, answered in order. Ends of the stream answer with null. */
export type JsonLines = {
  send(message: unknown): void;
  /** The next message, or null when the stream ended. Rejects on a line that is no JSON. */
  receive(): Promise<unknown>;
};

/** Takes over the stream: nobody else may read from it. */
export function jsonLines(stream: Duplex): JsonLines {
  const ready: unknown[] = [];
  const waiting: { resolve: (message: unknown) => void; reject: (problem: Error) => void }[] = [];
  const parts: Buffer[] = [];
  let ended = false;

  const deliver = (line: string) => {
    const waiter = waiting.shift();
    try {
      const message: unknown = JSON.parse(line);
      if (waiter) waiter.resolve(message);
      else ready.push(message);
    } catch (cause) {
      const problem = new Error('the fork server sent a line that is no JSON', { cause });
      if (waiter) waiter.reject(problem);
      else ready.push(problem);
    }
  };
  const finish = () => {
    ended = true;
    for (const waiter of waiting.splice(0)) waiter.resolve(null);
  };
  stream.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      parts.push(chunk.subarray(start, end));
      deliver(Buffer.concat(parts.splice(0)).toString('utf8'));
      start = end + 1;
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
  });
  stream.on('end', finish);
  stream.on('close', finish);
  stream.on('error', finish);

  return {
    send: (message) => {
      if (!ended) stream.write(`${JSON.stringify(message)}\n`);
    },
    receive: () => {
      const message = ready.shift();
      if (message instanceof Error) return Promise.reject(message);
      if (message !== undefined) return Promise.resolve(message);
      if (ended) return Promise.resolve(null);
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
  };
}
