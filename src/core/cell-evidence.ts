import { z } from 'zod';
import { kernelFileSchema } from './cell.ts';

/** A variable of the kernel as a person would tell of it. */
export const variableSchema = z.object({
  name: z.string(),
  /** The type's own name, e.g. `DataFrame`. */
  type: z.string(),
  /** Length of each dimension; null for what has none. */
  shape: z.array(z.number().int().nonnegative()).nullable(),
  /** One short line, at most 200 characters. */
  repr: z.string(),
});
export type Variable = z.infer<typeof variableSchema>;

/** A figure in words, for models that cannot see and for readers who want to check: read from the plotting library. */
export const figureSchema = z.object({
  /** 0-based index into the result's `outputs`, where it was shown. */
  output: z.number().int().nonnegative().nullable(),
  /** The file it was saved as, relative to the working folder. */
  file: z.string().nullable(),
  title: z.string(),
  axes: z.array(
    z.object({
      title: z.string(),
      xLabel: z.string(),
      yLabel: z.string(),
      xRange: z.tuple([z.number(), z.number()]).nullable(),
      yRange: z.tuple([z.number(), z.number()]).nullable(),
      series: z.array(
        z.object({
          /** `line`, `scatter`, `bar`, `image` or what the library calls it. */
          kind: z.string(),
          label: z.string(),
          points: z.number().int().nonnegative().nullable(),
          /** The least and the greatest value drawn, where the library tells. */
          xRange: z.tuple([z.number(), z.number()]).nullable().optional(),
          yRange: z.tuple([z.number(), z.number()]).nullable().optional(),
        }),
      ),
    }),
  ),
});
export type Figure = z.infer<typeof figureSchema>;

/** What one cell did to the working folder and to the kernel's variables, compared with how they were before it. */
export const cellEvidenceSchema = z.object({
  files: z.object({
    created: z.array(kernelFileSchema),
    /** With the new size and hash; `before`: the hash it had. */
    changed: z.array(kernelFileSchema.extend({ before: z.string() })),
    /** With the size and hash it had. */
    deleted: z.array(kernelFileSchema),
  }),
  /** null where nobody can tell: another language, or a kernel that is gone. */
  variables: z
    .object({
      created: z.array(variableSchema),
      changed: z.array(variableSchema),
      deleted: z.array(z.string()),
    })
    .nullable(),
  figures: z.array(figureSchema),
  /** What a person should know beside the result's own warnings: a probe that failed, files too many to hash. */
  warnings: z.array(z.string()),
});
export type CellEvidence = z.infer<typeof cellEvidenceSchema>;

/** Something a cell gave that is kept in the run folder under its sha256. */
export const cellArtifactSchema = z.object({
  sha256: z.string(),
  /** A file name for people, e.g. `prices.png`, `cell-3-stdout.txt`. */
  name: z.string(),
  mediaType: z.string(),
  bytes: z.number().int().nonnegative(),
  source: z.discriminatedUnion('kind', [
    /** A file of the working folder. */
    z.object({ kind: z.literal('file'), path: z.string() }),
    /** Data of one output, by its 0-based index in the result and its MIME type. */
    z.object({ kind: z.literal('output'), output: z.number().int().nonnegative(), mediaType: z.string() }),
    /** The same of what a thread put out after its cell had ended: an index into the result's `late`. */
    z.object({ kind: z.literal('late'), late: z.number().int().nonnegative(), mediaType: z.string() }),
    /** The same of new content for a display of an earlier cell: an index into the result's `updates`. */
    z.object({ kind: z.literal('update'), update: z.number().int().nonnegative(), mediaType: z.string() }),
    /** The whole of a stream that is cut in the result. */
    z.object({ kind: z.literal('stream'), name: z.enum(['stdout', 'stderr']) }),
  ]),
});
export type CellArtifact = z.infer<typeof cellArtifactSchema>;

/** Stands in a MIME bundle of the journal for data that is kept as an artifact. */
export const artifactRefSchema = z.object({ artifact: z.string() });
export type ArtifactRef = z.infer<typeof artifactRefSchema>;
