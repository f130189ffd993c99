/**
 * The reporter that node:test is told to load. The first instance is the harness's own, made before any code of the
 * project is loaded: it gets the listener. Instances made later (a worker's, or one made by the project) get nothing.
 */
import { Transform } from 'node:stream';

let waiting = null;

/** Resolves when the harness has taken the listener. Called once, by the preload. */
export function listen(listener) {
  return new Promise((taken) => {
    waiting = { listener, taken };
  });
}

export default class AssayReporter extends Transform {
  #listener = null;

  constructor() {
    super({ writableObjectMode: true });
    if (waiting === null) return;
    this.#listener = waiting.listener;
    waiting.taken();
    waiting = null;
  }

  _transform(event, _encoding, done) {
    this.#listener?.event(event);
    done();
  }

  _flush(done) {
    this.#listener?.end();
    done();
  }
}
