import { Problem } from '#kit'
import { isRecord, parseJson as parseExactly } from '../../../tasks/formats/diff/json.ts'
import type { ApiContext } from '../../context.ts'
import { parseJson } from '../../intake/body/json.ts'

const JSON_TYPE = 'application/json'
/** No checkpoint was ever sold with more; each has its own limit below it. */
export const MAX_BODY_BYTES = 8 * 2 ** 20

/** The content type of a checkpoint's body. Other content than JSON is taken only where the operator allows it. */
export function requireCheckpointType(
  { settings }: Pick<ApiContext, 'settings'>,
  header: string | undefined,
  body: Buffer,
): string {
  const type = (header ?? JSON_TYPE).slice(0, 255)
  const essence = type.split(';', 1)[0]!.trim().toLowerCase()
  const isJson = essence === JSON_TYPE || essence.endsWith('+json')
  if (isJson || !settings.get('lease.checkpoint_any_type')) {
    parseJson(body)
    return JSON_TYPE
  }
  return type
}

/** A document with the changes of a patch: null removes a field, an object changes its fields, anything else replaces. */
export function mergePatch(document: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch
  const merged: Record<string, unknown> = isRecord(document) ? { ...document } : {}
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) delete merged[name]
    else merged[name] = mergePatch(merged[name], change)
  }
  return merged
}

/** The document in a checkpoint that is to be patched. */
export function parseDocument(contentType: string, body: Buffer): unknown {
  if (!contentType.startsWith(JSON_TYPE)) {
    throw new Problem('UNSUPPORTED_MEDIA_TYPE', { reason: 'Only JSON can be patched.', stored: contentType })
  }
  return parsePatch(body)
}

/** Numbers keep their digits: a patch changes nothing that it does not name. */
export function parsePatch(body: Buffer): unknown {
  parseJson(body)
  return parseExactly(body.toString('utf8'))
}
