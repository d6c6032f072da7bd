/** Something that coinop promises did not hold. */
export class BrokenPromise extends Error {
  readonly promise: string
  /** The key or object whose history shows it. */
  readonly subject: string

  constructor(promise: string, subject: string, detail: unknown) {
    const text = typeof detail === 'string' ? detail : JSON.stringify(detail, showBigints)
    super(`${promise} (${subject}: ${text.slice(0, 1_000)})`)
    this.name = 'BrokenPromise'
    this.promise = promise
    this.subject = subject
  }
}

function showBigints(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

export function must(holds: boolean, promise: string, subject: string, detail: unknown): void {
  if (!holds) throw new BrokenPromise(promise, subject, detail)
}
