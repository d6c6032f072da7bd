import { Problem } from '#kit'

const ENTITY_TAG = /^"v(\d{1,9})(?:-([0-9a-f]{8}))?"$/

export function entityTag(version: number, sha256: string): string {
  return `"v${version}-${sha256.slice(0, 8)}"`
}

/** Which version a write expects to replace, by `If-Match` or `X-If-Version`; nothing if it replaces any. */
export function readExpectedVersion(
  ifMatch: string | undefined,
  ifVersion: number | undefined,
): { version?: number; sha?: string } {
  if (ifMatch === undefined || ifMatch === '*') return ifVersion === undefined ? {} : { version: ifVersion }
  const [, number, sha] = ENTITY_TAG.exec(ifMatch) ?? []
  if (number === undefined) {
    throw new Problem('INVALID_PARAM', { field: 'If-Match', reason: 'It must be the ETag of a version, or *.' })
  }
  const version = Number(number)
  if (ifVersion !== undefined && ifVersion !== version) {
    throw new Problem('CONFLICTING_OPTIONS', { fields: ['If-Match', 'X-If-Version'] })
  }
  return { version, ...(sha !== undefined && { sha }) }
}

/** Whether the caller has this version already. */
export function isKnown(ifNoneMatch: string | undefined, tag: string): boolean {
  const tags = (ifNoneMatch ?? '').split(',').map(text => text.trim().replace(/^W\//, ''))
  return tags.includes('*') || tags.includes(tag)
}
