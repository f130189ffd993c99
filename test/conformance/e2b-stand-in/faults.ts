/** What goes wrong on purpose. */
export class Faults {
  #answers: { path: RegExp; times: number; status?: number; delayMs?: number }[] = [];
  /** The stream of the next cell breaks off after so many events: with its connection, or as if it had ended well. */
  cutNext: { afterEvents: number; how: 'connection' | 'clean' } | null = null;
  /** After a cell whose client has gone away, the context answers no more until it is restarted. */
  hangsAfterAbort = false;
  /** The signals that the SDK sends through commands are lost. */
  losesSignals = false;

  /** The next requests for a path are answered with a status, or late. */
  answerNext(path: RegExp, how: { times?: number; status?: number; delayMs?: number }): void {
    this.#answers.push({ path, times: 1, ...how });
  }

  take(path: string): { status?: number; delayMs?: number } | null {
    const found = this.#answers.find((answer) => answer.times > 0 && answer.path.test(path));
    if (found === undefined) return null;
    found.times--;
    return found;
  }
}
