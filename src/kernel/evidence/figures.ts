import { z } from 'zod';
import { type CellResult, type Figure, figureSchema, type Output } from '../../core/index.ts';

const figureType = 'application/vnd.assay.figure+json';

const notedSchema = figureSchema.omit({ output: true, file: true }).extend({ number: z.number().int() });
type Noted = z.infer<typeof notedSchema>;
const savedSchema = z.object({ file: z.string(), figure: notedSchema });

/**
 * The figures of a cell in words: those that were shown, by the notes that the probe put beside them, and those that were
 * saved. One that was both is told once, and once more for each further file.
 */
export function figuresOf(result: Pick<CellResult, 'outputs'>, saved: readonly unknown[]): Figure[] {
  const files = saved.flatMap((value) => {
    const parsed = savedSchema.safeParse(value);
    return parsed.success ? [parsed.data] : [];
  });
  const used = new Set<(typeof files)[number]>();
  const shown = result.outputs.flatMap((output, index): Figure[] => {
    const noted = notedIn(output);
    if (noted === null) return [];
    const file = files.find((entry) => entry.figure.number === noted.number && !used.has(entry));
    if (file !== undefined) used.add(file);
    return [figureOf(noted, index, file?.file ?? null)];
  });
  const only = files.filter((entry) => !used.has(entry));
  return [...shown, ...only.map(({ figure, file }) => figureOf(figure, null, file))];
}

/** A result without the notes of the probe, which are no output of the code. */
export function withoutNotes(result: CellResult): CellResult {
  return {
    ...result,
    outputs: result.outputs.map(withoutNote),
    ...(result.late === undefined
      ? {}
      : { late: result.late.map(({ output, ...of }) => ({ ...of, output: withoutNote(output) })) }),
    ...(result.updates === undefined ? {} : { updates: result.updates.map(withoutData) }),
  };
}

function figureOf({ title, axes }: Noted, output: number | null, file: string | null): Figure {
  return { output, file, title, axes };
}

function notedIn(output: Output): Noted | null {
  if (!('data' in output)) return null;
  const parsed = notedSchema.safeParse(output.data[figureType]);
  return parsed.success ? parsed.data : null;
}

function withoutNote(output: Output): Output {
  return 'data' in output ? withoutData(output) : output;
}

function withoutData<T extends { data: Record<string, unknown> }>(shown: T): T {
  if (!(figureType in shown.data)) return shown;
  const { [figureType]: _, ...data } = shown.data;
  return { ...shown, data };
}

/** A figure in one paragraph, for a model that cannot see and a reader who cannot. */
export function describeFigure({ title, file, axes }: Figure): string {
  const titled = title === '' ? 'A figure' : `A figure titled "${title}"`;
  const named = file === null ? titled : `${titled} in ${file}`;
  if (axes.length === 0) return `${named} without axes.`;
  const count = axes.length === 1 ? '' : ` with ${axes.length} axes`;
  return [
    `${named}${count}.`,
    ...axes.map((one, index) => axesText(one, axes.length === 1 ? null : index + 1)),
  ].join(' ');
}

type Axes = Figure['axes'][number];

function axesText({ title, xLabel, yLabel, xRange, yRange, series }: Axes, number: number | null): string {
  const name = number === null ? 'Axes' : `Axes ${number}`;
  const titled = title === '' ? name : `${name} "${title}"`;
  const scales = [axisText('x', xLabel, xRange), axisText('y', yLabel, yRange)].join(', ');
  const drawn = series.length === 0 ? 'nothing drawn' : series.map(seriesText).join('; ');
  return `${titled}: ${scales}. Drawn: ${drawn}.`;
}

function axisText(name: string, label: string, range: readonly number[] | null): string {
  return `${name}${label === '' ? '' : ` "${label}"`}${rangeText(range)}`;
}

function seriesText({ kind, label, points, xRange, yRange }: Axes['series'][number]): string {
  const named = label === '' ? kind : `${kind} "${label}"`;
  const counted = points === null ? '' : ` of ${points}`;
  const x = xRange === undefined || xRange === null ? '' : `, x${rangeText(xRange)}`;
  const y = yRange === undefined || yRange === null ? '' : `, y${rangeText(yRange)}`;
  return `${named}${counted}${x}${y}`;
}

function rangeText(range: readonly number[] | null): string {
  return range === null ? '' : ` from ${range[0]} to ${range[1]}`;
}
