/** What a sandbox takes on the host, to be given back when it is gone. */
export class Holdings {
  #undo: (() => void)[] = [];

  add(undo: () => void): void {
    this.#undo.push(undo);
  }

  /** Newest first; once. */
  release(): void {
    for (const undo of this.#undo.splice(0).reverse()) undo();
  }
}
