import { Problem, type Tools } from '#kit'
import { findMalformation, isRecord } from '../../engines/language/extract/schema-form.ts'
import type { TestPattern } from '../../engines/language/extract/validate.ts'

const MAX_CHARS = 64 * 1024

/** Throws INVALID_PARAM for a schema by which nothing can be judged. */
export function requireSchema(schema: unknown): void {
  const field = 'params.schema'
  if (JSON.stringify(schema).length > MAX_CHARS) throw new Problem('INVALID_PARAM', { field, max: MAX_CHARS })
  const found = findMalformation(schema)
  if (found) throw new Problem('INVALID_PARAM', { field, path: found.path || '/', reason: found.reason })
}

/** Every pattern of texts and of names in a schema. */
export function listPatterns(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(listPatterns)
  if (!isRecord(schema)) return []
  const { pattern, patternProperties } = schema
  return [
    ...(typeof pattern === 'string' ? [pattern] : []),
    ...(isRecord(patternProperties) ? Object.keys(patternProperties) : []),
    ...Object.values(schema).flatMap(listPatterns),
  ]
}

/** Tests by RE2, which throws REGEX_INVALID and REGEX_UNSUPPORTED. */
export function testWith(regex: Tools['regex'] | undefined): TestPattern {
  return (pattern, texts) => regex!.test(texts, { pattern, flags: '' })
}
