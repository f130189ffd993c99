import { text } from 'node:stream/consumers';
import { z } from 'zod';
import type { FileChange } from '../core/index.ts';
import { applyToTree } from './apply-tree.ts';
import { treeDisk } from './staged-file.ts';
import { encodeText } from './text.ts';

/** Applies the changes on stdin to the folder argv[2], and kills itself before name-changing call argv[3]. */
const schema = z.array(
  z.object({
    path: z.string(),
    before: z.string().nullable(),
    after: z.string().nullable(),
    mode: z.number(),
  }),
);
const bytes = (content: string | null) => (content === null ? null : encodeText(content));
const changes: FileChange[] = schema
  .parse(JSON.parse(await text(process.stdin)))
  .map((change) => ({ ...change, before: bytes(change.before), after: bytes(change.after) }));

let left = Number(process.argv[3]);
const counted =
  <Args extends string[]>(real: (...args: Args) => void) =>
  (...args: Args) => {
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
    real(...args);
  };
const disk = {
  link: counted(treeDisk.link),
  rename: counted(treeDisk.rename),
  unlink: counted(treeDisk.unlink),
};
applyToTree({ root: process.argv[2] ?? '', changes, disk });
