/**
 * The reporter that node:test is told to load. The first instance is the harness's own, made before any code of the
 * project is loaded: it gets the listener. Instances made later (a worker's, or one made by the project) get nothing.
 */
import { Transform } from 'node:stream';

/** node:test makes the instance by itself, from this module's default export: the listener waits here until then. */
function reporterWithListener() {
  let waiting = null;

  function listen(listener) {
    return new Promise((taken) => {
      waiting = { listener, taken };
    });
  }

  class AssayReporter extends Transform {
    constructor() {
      const taken = waiting;
      waiting = null;
      // Given to this instance, not to the class: its prototype is within reach of whoever imports this file.
      super({
        writableObjectMode: true,
        transform(event, _encoding, done) {
          taken?.listener.event(event);
          done();
        },
        flush(done) {
          taken?.listener.end();
          done();
        },
      });
      taken?.taken();
    }
  }

  return { AssayReporter, listen };
}

const { AssayReporter, listen } = reporterWithListener();

export default AssayReporter;
/** Resolves when the harness has taken the listener. Called once, by the preload. */
export { listen };
