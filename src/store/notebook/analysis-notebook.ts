import type { AnalysisEvent } from '../../core/index.ts';
import { Notebook, type NotebookItem, type NotebookParts } from './notebook.ts';
import { noStory, tell } from './story.ts';

/** The notebook of an analysis, which follows its events. A resumed run gives it all events so far at once. */
export class AnalysisNotebook {
  readonly #notebook: Notebook;
  #story = noStory;

  constructor(parts: NotebookParts) {
    this.#notebook = new Notebook(parts);
  }

  /** Bytes written to the disk so far: what saving costs. */
  get writtenBytes(): number {
    return this.#notebook.writtenBytes;
  }

  /**
   * Writes down what the events tell; where that is anything, the notebook is saved once, whole, when it resolves.
   * @throws AssayError `environment` where the disk is full or the like: the file then is as it was
   */
  async take(events: readonly AnalysisEvent[]): Promise<void> {
    const items: NotebookItem[] = [];
    for (const event of events) {
      const told = tell(this.#story, event);
      this.#story = told.story;
      items.push(...told.items);
    }
    if (items.length === 0) return;
    const { kernel } = this.#story;
    await this.#notebook.append(items, kernel === null ? {} : { kernel });
  }

  /** Applies what came late for earlier cells, and removes the writer's helper file. `take` still works. */
  async finish(): Promise<void> {
    await this.#notebook.finish();
  }
}
