import { frameMark } from './bridge-source.ts';

/** Where IPython's frames begin, in what is left of them when nothing stands between. */
const borders = [
  // A rule above the name of the exception, and the name itself.
  /(-{20,})(?=\S)/g,
  /(Traceback \(most recent call last\):?)(?=\S)/g,
  /(?<=\S)(?=(?:Cell In\s?\[\d+\], line \d+|File [^\n]{1,300}?:\d+, in |Input In \[\d+\]))/g,
];

/**
 * The frames of a traceback as the kernel sent them. The service joins them with nothing: by the bridge's marks they are
 * told apart again, else by what IPython's frames begin with.
 *
 * @param error as the SDK gives it
 */
export function framesOf(error: { name: string; value: string; traceback: string }): string[] {
  const { traceback } = error;
  if (traceback === '') return [];
  if (traceback.includes(frameMark)) {
    const frames = traceback.split(frameMark);
    if (frames.at(-1) === '') frames.pop();
    return frames;
  }
  return bordersFound(error).split('\n');
}

function bordersFound({
  name,
  value,
  traceback,
}: {
  name: string;
  value: string;
  traceback: string;
}): string {
  const last = value === '' ? name : `${name}: ${value}`;
  const hasLast = traceback.endsWith(last) && traceback.length > last.length;
  let text = hasLast ? traceback.slice(0, -last.length) : traceback;
  for (const border of borders) text = text.replace(border, (found: string) => `${found}\n`);
  if (!hasLast) return text;
  return text.endsWith('\n') ? text + last : `${text}\n${last}`;
}
