/** Which lives of members are being lived here, so that none is lived twice. */

/** What has a life. */
interface Living {
  readonly member: string;
  readonly incarnation: string;
}

/** The lives that engines of this process live, as far as somebody could restore them. */
export class Lives<T extends Living & object> {
  readonly #engines = new Map<string, WeakRef<T>>();
  readonly #lives = new WeakMap<T, string>();

  /** Whether another engine lives the life of this one. */
  has(engine: T): boolean {
    const other = this.#engines.get(life(engine))?.deref();
    return other !== undefined && other !== engine;
  }

  /** This engine lives. */
  add(engine: T): void {
    const name = life(engine);
    this.#engines.set(name, new WeakRef(engine));
    this.#lives.set(engine, name);
  }

  /** This engine lives no more. */
  delete(engine: T): void {
    const name = this.#lives.get(engine);
    if (name !== undefined && this.#engines.get(name)?.deref() === engine)
      this.#engines.delete(name);
    this.#lives.delete(engine);
  }
}

function life({ member, incarnation }: Living): string {
  return `${member} ${incarnation}`;
}
