import { Problem } from '#kit'
import type { Condition } from '../../../sql/product/condition.ts'
import type { IncomingRequest } from '../../incoming-call.ts'
import { listKnownTags, readCondition } from '../../intake/conditions.ts'

const TAG = /^v\d{1,9}(?:-[0-9a-f]{8})?$/

export function entityTag(version: number, sha256: string): string {
  return `"v${version}-${sha256.slice(0, 8)}"`
}

/** Which version a write or a deletion expects, by `If-Match`, `If-None-Match` or `X-If-Version`; nothing if it is any. */
export function readExpectedVersion(headers: IncomingRequest['headers'], ifVersion: number | undefined): Condition {
  const condition = readCondition(headers, TAG)
  if (ifVersion === undefined) return condition
  const wanted = `v${ifVersion}`
  const { match = ['*'] } = condition
  const both = match.includes('*') ? [wanted] : match.filter(tag => tag.split('-', 1)[0] === wanted)
  if (both.length === 0) throw new Problem('CONFLICTING_OPTIONS', { fields: ['If-Match', 'X-If-Version'] })
  return { ...condition, match: both }
}

/** Refuses a change that does not expect this version. */
export function requireVersion(condition: Condition, found: { version: number; sha256: string }): void {
  const { match = ['*'], noneMatch = [] } = condition
  const tags = ['*', `v${found.version}`, entityTag(found.version, found.sha256).slice(1, -1)]
  const isAmong = (listed: readonly string[]) => tags.some(tag => listed.includes(tag))
  if (isAmong(match) && !isAmong(noneMatch)) return
  throw new Problem('VERSION_CONFLICT', { current_version: found.version })
}

/** Whether the caller has this version already. */
export function isKnown(ifNoneMatch: string | undefined, tag: string): boolean {
  const tags = listKnownTags(ifNoneMatch)
  return tags.includes('*') || tags.includes(tag.slice(1, -1))
}
