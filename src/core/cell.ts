import { z } from 'zod';

/** Data of one output by MIME type, as nbformat has it: base64 for images but SVG, an object for JSON types. */
export const mimeBundleSchema = z.record(z.string(), z.unknown());
export type MimeBundle = z.infer<typeof mimeBundleSchema>;

/** One output of a cell, in the shape of nbformat 4.5; `displayId` is what later updates name, and is not saved. */
export const outputSchema = z.discriminatedUnion('output_type', [
  z.object({ output_type: z.literal('stream'), name: z.enum(['stdout', 'stderr']), text: z.string() }),
  z.object({
    output_type: z.literal('display_data'),
    data: mimeBundleSchema,
    metadata: z.record(z.string(), z.unknown()),
    displayId: z.string().optional(),
  }),
  z.object({
    output_type: z.literal('execute_result'),
    execution_count: z.number().int().nullable(),
    data: mimeBundleSchema,
    metadata: z.record(z.string(), z.unknown()),
    displayId: z.string().optional(),
  }),
  z.object({
    output_type: z.literal('error'),
    ename: z.string(),
    evalue: z.string(),
    /** A frame each, with ANSI colours where the kernel gives them. */
    traceback: z.array(z.string()),
  }),
]);
export type Output = z.infer<typeof outputSchema>;

/**
 * How a cell ended. `stateLost`: the kernel had to be started anew, and its variables are gone. Only `ok` and `error`
 * say something of the code; `died` may.
 */
export const cellEndSchema = z.discriminatedUnion('status', [
  z.object({ status: z.literal('ok') }),
  z.object({ status: z.literal('error'), ename: z.string(), evalue: z.string() }),
  z.object({ status: z.literal('timeout'), deadlineMs: z.number(), stateLost: z.boolean() }),
  z.object({ status: z.literal('interrupted'), stateLost: z.boolean() }),
  /** The kernel's process ended while the cell ran. */
  z.object({
    status: z.literal('died'),
    cause: z.enum(['oom', 'exited', 'signaled', 'unknown']),
    detail: z.string(),
  }),
  /** The kernel took the cell and did not run it. */
  z.object({ status: z.literal('aborted') }),
  /** No kernel to run it in, or none that answers: says nothing of the code. */
  z.object({ status: z.literal('unavailable'), detail: z.string(), fix: z.string() }),
]);
export type CellEnd = z.infer<typeof cellEndSchema>;

/** New content for every display that was made under `displayId`. */
export const displayUpdateSchema = z.object({
  displayId: z.string(),
  data: mimeBundleSchema,
  metadata: z.record(z.string(), z.unknown()),
});
export type DisplayUpdate = z.infer<typeof displayUpdateSchema>;

/** One execution of code in a kernel. */
export const cellResultSchema = z.object({
  end: cellEndSchema,
  executionCount: z.number().int().nullable(),
  /** In wire order, streams of one name in a row joined, updates and clears applied. */
  outputs: z.array(outputSchema),
  /** Bytes of stream text that came in all, and whether some of it is left out of `outputs`. */
  streamBytes: z.object({ stdout: z.number(), stderr: z.number() }),
  truncated: z.boolean(),
  durationMs: z.number().nonnegative(),
  /** What a person should know: missing glyphs, late output, an `input()` that was refused. */
  warnings: z.array(z.string()),
  /** What threads of earlier cells put out since the last result, with the count of the cell that started them. */
  late: z.array(z.object({ executionCount: z.number().int().nullable(), output: outputSchema })).optional(),
  /** New content for displays that earlier cells made. */
  updates: z.array(displayUpdateSchema).optional(),
});
export type CellResult = z.infer<typeof cellResultSchema>;

/** A file of the kernel's working folder. */
export const kernelFileSchema = z.object({
  /** Relative, with `/` separators. */
  path: z.string(),
  bytes: z.number().int().nonnegative(),
  /** Empty in evidence of a file that was too large to be hashed, which a warning says. */
  sha256: z.string(),
});
export type KernelFile = z.infer<typeof kernelFileSchema>;
