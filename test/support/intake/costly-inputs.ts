/** A JSON web token without a signature. */
export function toToken(payload: string): string {
  const part = Buffer.from(payload).toString('base64url')
  return `${Buffer.from('{"alg":"none"}').toString('base64url')}.${part}.`
}

/** A list of rows of which each has a column of its own. */
export function makeWideRows(bytes: number): string {
  return `[${Array.from({ length: Math.floor(bytes / 12) }, (_, row) => `{"${row.toString(36)}":0}`).join(',')}]`
}

export function deepList(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth)
}
