/** Makes the lab's failure records out of whatever was thrown. Nothing here may throw, whatever the value does. */
import path from 'node:path';
import url from 'node:url';
import util from 'node:util';

// Constants: tests mock such functions, and named imports follow them.
const { normalize } = path;
const { fileURLToPath } = url;
const { inspect } = util;

const messageLimit = 16 * 1024;
const traceLimit = 256 * 1024;
const frameLimit = 100;

export function clip(text, limit) {
  if (text.length <= limit) return text;
  const half = Math.floor(limit / 2);
  return `${text.slice(0, half)}\n[... ${text.length - 2 * half} characters left out ...]\n${text.slice(-half)}`;
}

/** `make()` as a string, or what went wrong in making it. */
function safely(make) {
  try {
    return String(make());
  } catch (error) {
    return `<its text cannot be had: ${typeof error}>`;
  }
}

/** `places`: `{ root, environments }`, absolute paths. */
export function failureOf(thrown, places) {
  const isError = thrown instanceof Error || Object.prototype.toString.call(thrown) === '[object Error]';
  const trace = safely(() => inspect(thrown, { colors: false, depth: 6, breakLength: 110 }));
  if (!isError) {
    return {
      type: '',
      message: clip(
        safely(() => thrown),
        messageLimit,
      ),
      trace: clip(trace, traceLimit),
      frames: [],
    };
  }
  return {
    type: safely(() => className(thrown)),
    message: clip(
      safely(() => thrown.message),
      messageLimit,
    ),
    trace: clip(trace, traceLimit),
    frames: framesOf(
      safely(() => thrown.stack),
      places,
    ),
  };
}

function className(error) {
  const { name } = error.constructor ?? {};
  return typeof name === 'string' && name !== '' && name !== 'Object' ? name : error.name;
}

/** The frames of a stack as V8 prints it, outermost first, without Node's own and without what leads up to the project. */
export function framesOf(stack, places) {
  const lines = stack.split('\n');
  const frames = lines.flatMap((line) => {
    const match = /^\s+at (?:async )?(?:(.+) \()?((?:file:\/\/)?\/.+?):(\d+)(?::\d+)?\)?$/.exec(line);
    return match === null ? [] : [frame(match[2], match[3], match[1] ?? '<module>', places)];
  });
  frames.reverse();
  // A syntax error names its own place in the first line, before the message.
  const place = /^((?:file:\/\/)?\/.+):(\d+)$/.exec(lines[0]);
  if (place !== null) frames.push(frame(place[1], place[2], '<module>', places));
  const first = frames.findIndex((each) => each.inProject);
  const relevant = first === -1 ? frames : frames.slice(first);
  if (relevant.length <= frameLimit) return relevant;
  return [...relevant.slice(0, frameLimit / 2), ...relevant.slice(-frameLimit / 2)];
}

function frame(location, line, name, places) {
  const { file, inProject } = placeOf(location, places);
  return { file, line: Number(line), function: name, inProject };
}

/** A project-relative path for a file of the project, else the path as it is. */
export function placeOf(location, { root, environments }) {
  let absolute = location;
  try {
    if (location.startsWith('file://')) absolute = fileURLToPath(location);
  } catch {
    return { file: location, inProject: false };
  }
  absolute = normalize(absolute);
  const inside = absolute.startsWith(`${root}/`) && !/\/node_modules\//.test(absolute.slice(root.length));
  if (!inside || environments.some((folder) => absolute.startsWith(`${folder}/`))) {
    return { file: absolute, inProject: false };
  }
  return { file: absolute.slice(root.length + 1), inProject: true };
}
