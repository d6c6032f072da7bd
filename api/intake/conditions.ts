import { Problem } from '#kit'
import type { Condition } from '../../sql/product/condition.ts'
import type { IncomingRequest } from '../incoming-call.ts'

type Headers = IncomingRequest['headers']

/** What a write expects by `If-Match` and `If-None-Match`, of a thing whose tags have this pattern (RFC 9110, 13.1). */
export function readCondition(headers: Headers, pattern: RegExp): Condition {
  const match = readTags('If-Match', headers['if-match'], pattern)
  // Only the comparison of If-None-Match is a weak one.
  const noneMatch = readTags('If-None-Match', headers['if-none-match']?.replace(/(^|,\s*)W\//g, '$1'), pattern)
  return { ...(match && { match }), ...(noneMatch && { noneMatch }) }
}

/** The tags that a reader has already. What is none of ours is passed over. */
export function listKnownTags(ifNoneMatch: string | undefined): string[] {
  return splitTags(ifNoneMatch ?? '').flatMap(text =>
    text === '*' ? text : (/^(?:W\/)?"(.*)"$/.exec(text)?.[1] ?? []),
  )
}

function readTags(field: string, header: string | undefined, pattern: RegExp): string[] | undefined {
  if (header === undefined || header.trim() === '*') return header === undefined ? undefined : ['*']
  const tags = splitTags(header).map(text => /^"(.*)"$/.exec(text)?.[1] ?? '')
  if (tags.length > 0 && tags.every(tag => pattern.test(tag))) return tags
  throw new Problem('INVALID_PARAM', { field, reason: 'It must be the ETag of a version, several with commas, or *.' })
}

function splitTags(header: string): string[] {
  return header
    .split(',')
    .map(text => text.trim())
    .filter(text => text !== '')
}
