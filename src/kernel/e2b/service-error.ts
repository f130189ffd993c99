import { AssayError, type CellEnd } from '../../core/index.ts';
import { type Failure, fixOf } from './failure.ts';

/** The end of a cell that the service did not let run, or did not let end. */
export function unavailable(failure: Failure): CellEnd {
  return { status: 'unavailable', detail: `E2B: ${failure.detail}`, fix: fixOf(failure) };
}

export function cannotStart(failure: Failure): AssayError {
  return new AssayError({
    code: failure.kind === 'refused' ? 'usage' : 'environment',
    message: 'No sandbox could be started at E2B',
    because: failure.detail,
    fix: failure.kind === 'gone' ? 'Try again' : fixOf(failure),
  });
}

export function cannotRestart(failure: Failure): AssayError {
  return new AssayError({
    code: 'environment',
    message: 'The interpreter could not be started anew',
    because: failure.detail,
    fix: 'Run the cell again, or open another kernel',
  });
}

export function cannotSend(file: string, failure: Failure): AssayError {
  return new AssayError({
    code: 'environment',
    message: `${file} could not be sent to the sandbox`,
    because: failure.detail,
    fix: fixOf(failure),
  });
}

export function throughLink(file: string, link: string): AssayError {
  return new AssayError({
    code: 'input',
    message: `${JSON.stringify(file)} cannot be written to the working folder`,
    because: `${link} is a link`,
    fix: 'Use a plain path below the working folder, such as data/a.csv',
  });
}
