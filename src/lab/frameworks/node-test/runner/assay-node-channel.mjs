/**
 * Records as newline-delimited JSON on a descriptor, each with the nonce and its place. Everything the sender needs
 * is bound here, before any code of the project is loaded, and the nonce is kept in a closure: a patched JSON or fs
 * changes nothing. Code in the same process can still find both (the inspector, a debugger): that is why the report
 * of this judge says `forgeable`.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';

// Constants, not named imports: those follow what the project makes of a module (`syncBuiltinESMExports`).
const { writeSync } = fs;
const { stringify } = JSON;
const { from } = Buffer;
const { apply } = Reflect;
const hashUpdate = createHash('sha256').update;
const hashDigest = createHash('sha256').digest;
const slice = Uint8Array.prototype.subarray;
const wait = Atomics.wait;
const sleeper = new Int32Array(new SharedArrayBuffer(4));

export function openSender({ fd, nonce }) {
  const hash = createHash('sha256');
  apply(hashUpdate, hash, [nonce]);
  let count = 0;
  let open = true;

  function send(type, fields) {
    if (!open) return;
    const line = from(`${stringify({ ...fields, t: type, n: nonce, i: count })}\n`, 'utf8');
    apply(hashUpdate, hash, [line]);
    count += 1;
    writeAll(fd, line);
  }

  function end(exit) {
    const digest = apply(hashDigest, hash, ['hex']);
    if (!open) return;
    writeAll(fd, from(`${stringify({ t: 'end', n: nonce, i: count, count, digest, exit })}\n`, 'utf8'));
    open = false;
  }

  return { send, end };
}

function writeAll(fd, bytes) {
  let rest = bytes;
  while (rest.length > 0) {
    try {
      rest = apply(slice, rest, [writeSync(fd, rest)]);
    } catch (error) {
      // The reader is busy and the socket is full.
      if (error.code !== 'EAGAIN') throw error;
      wait(sleeper, 0, 0, 2);
    }
  }
}
