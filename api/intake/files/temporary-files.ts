/** Files that a call stores before its job is accepted. A job that has taken them over removes them itself. */
export class TemporaryFiles implements AsyncDisposable {
  #removals: (() => Promise<void>)[] = []
  #isHandedOver = false

  add(remove: () => Promise<void>): void {
    this.#removals.push(remove)
  }

  /** From here on a job may need the files, even if the database's answer is lost. */
  handOver(): void {
    this.#isHandedOver = true
  }

  /** The job was refused after all. */
  takeBack(): void {
    this.#isHandedOver = false
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isHandedOver) return
    const removals = this.#removals
    this.#removals = []
    await Promise.all(removals.map(remove => remove()))
  }
}
