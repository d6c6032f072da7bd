/** The database cannot be reached. The statement may or may not have been executed. */
export class DatabaseUnavailable extends Error {
  constructor(cause: unknown) {
    super('the database is not reachable', { cause })
    this.name = 'DatabaseUnavailable'
  }
}

const UNAVAILABLE_CODES = /^(08...|57P0[123]|53300|ECONNREFUSED|ECONNRESET|ENOENT|EPIPE|ETIMEDOUT)$/
const UNAVAILABLE_MESSAGE =
  /Connection terminated|connection timeout|timeout exceeded when trying to connect|Client has encountered|Query read timeout/i

export function isUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable) return true
  if (!(error instanceof Error)) return false
  const { code } = error as { code?: string }
  return (code !== undefined && UNAVAILABLE_CODES.test(code)) || UNAVAILABLE_MESSAGE.test(error.message)
}
