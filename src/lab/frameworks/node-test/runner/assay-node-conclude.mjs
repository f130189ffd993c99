/** Makes problems and results out of the way in which the process of a test file ended. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { clip, framesOf } from './assay-node-failure.mjs';
import { staticIds } from './assay-node-static.mjs';

/** A test file ended before its tests had: also said by `explainExit` on the other side. */
export const cutShort = 3;

/** Says what a file came to as a whole, once its process is gone. */
export function conclude(run) {
  const { channel, summary, file, records, code, signal, hung, stderr } = run;
  if (records.count > 0) records.sendCollected();
  if (records.failed) summary.code = Math.max(summary.code, 1);
  if (records.finished) {
    for (const canary of records.canaries) {
      summary.canaries.set(canary.id, [...(summary.canaries.get(canary.id) ?? []), { ...canary, file }]);
    }
  }
  if (records.count === 0 && (code === 0 ? records.finished : isPlain(run))) return plainFile(run);
  if (hung) return hungFile(run);
  if (!records.finished || records.count === 0) return cutFile(run);
  // The harness makes the exit code 1 for failing tests; with none, it is the project's own doing.
  if (code === 0 || records.failed) return;
  const message = `its tests passed, but its process ended with ${signal ?? `exit code ${code}`}`;
  problem(channel, file, { type: 'ExitCode', message, trace: stderr });
  summary.code = Math.max(summary.code, 1);
}

/** No test came to an end for too long, or they all had and something kept the process alive. */
function hungFile({ config, channel, summary, file, records }) {
  const tests = records.count === 0 ? 'no test' : 'no further test';
  const message = `${tests} of ${file} ended for more than ${config.testLimit} s, and its process was stopped`;
  problem(channel, file, { type: 'TestHung', message });
  summary.code = Math.max(summary.code, 1);
  if (config.mode === 'collect') {
    channel.send('collected', { ids: textIds(config, file), skipped: [], xfailed: [], file });
  }
}

/** The process of a file ended before its tests had: a crash while it was loaded, or an exit. */
function cutFile({ config, channel, summary, file, records, code, signal, stderr }) {
  const how = signal === null ? `ended with exit code ${code}` : `was killed by ${signal}`;
  const text = `the process of ${file} ${how} before its tests had`;
  const printed = stderr.trim() === '' ? text : clip(stderr, 256 * 1024);
  const frames = stderrFrames(config, stderr);
  const crash = records.uncaught ?? (frames.length > 0 ? { type: errorType(stderr), message: text } : null);
  if (crash === null) {
    problem(channel, file, { type: 'EarlyExit', message: text, trace: printed });
    summary.code = cutShort;
  } else {
    const own = crash.frames?.length > 0 ? crash.frames : frames;
    problem(channel, file, { ...crash, trace: crash.trace || printed, frames: own });
    summary.code = Math.max(summary.code, 1);
  }
  if (config.mode === 'collect') {
    channel.send('collected', { ids: textIds(config, file), skipped: [], xfailed: [], file });
  }
}

/** A file without tests is itself a test, as under `node --test`: its exit code decides. */
function plainFile({ config, channel, summary, file, records, code, signal, hung, stderr }) {
  channel.send('collected', { ids: [file], skipped: [], xfailed: [], file: null });
  if (config.mode === 'collect') return;
  const passed = code === 0;
  if (!passed) summary.code = Math.max(summary.code, 1);
  const crash = records.uncaught;
  const message = hung
    ? `it ran for more than ${config.testLimit} s and was stopped`
    : (crash?.message ?? `it ended with ${signal ?? `exit code ${code}`}`);
  const failure = {
    type: hung ? 'TestHung' : (crash?.type ?? errorType(stderr)),
    message,
    trace: crash?.trace || stderr || message,
    frames: crash?.frames.length > 0 ? crash.frames : stderrFrames(config, stderr),
  };
  channel.send('test', {
    test: {
      id: file,
      file,
      line: null,
      status: passed ? 'passed' : 'failed',
      durationMs: records.durationMs,
      failure: passed ? null : failure,
      skipReason: null,
      stdout: '',
      stderr: '',
    },
  });
}

/** True for a file that never mentions node:test: a script that checks something and says so by its exit code. */
function isPlain({ config, file }) {
  try {
    return !readFileSync(path.join(config.root, file), 'utf8').includes('node:test');
  } catch {
    return false;
  }
}

export function problem(channel, file, { type, message, trace, frames }) {
  channel.send('problem', {
    file,
    problem: { type, message, trace: trace || message, frames: frames ?? [] },
  });
}

/** The project's own frames in what node printed when it died. */
function stderrFrames(config, stderr) {
  const start = stderr.search(/^(?:file:\/\/)?\/\S+:\d+$/m);
  if (start === -1) return [];
  return framesOf(stderr.slice(start), placesOf(config)).filter(({ inProject }) => inProject);
}

function errorType(stderr) {
  return /^(?:Uncaught )?([A-Z]\w*(?:Error|Exception))\b/m.exec(stderr)?.[1] ?? '';
}

/** The ids that the text of a file announces. */
export function textIds(config, file) {
  try {
    return staticIds(readFileSync(path.join(config.root, file), 'utf8'), file);
  } catch {
    return [];
  }
}

export function placesOf({ root, environments }) {
  return { root, environments: environments.map((folder) => path.join(root, folder)) };
}
