import { constants, inflateSync } from 'node:zlib'

/** An object as written in the file, or as found inside an object stream. */
export interface FoundObject {
  number: number
  generation: number
  /** Its source, without `obj` and `endobj`. */
  body: string
}

const OBJECT_START = /(?<!\d)(\d{1,8})\s+(\d{1,5})\s+obj\b/g
const MAX_OBJECTS = 500_000
const MAX_UNPACKED_BYTES = 128 * 2 ** 20

/** Finds all complete objects without trusting any table. A later object replaces an earlier one of the same number. */
export function findObjects(text: string): Map<number, FoundObject> {
  const found = new Map<number, FoundObject>()
  let unpackedBytes = 0
  OBJECT_START.lastIndex = 0
  for (let match = OBJECT_START.exec(text); match && found.size < MAX_OBJECTS; match = OBJECT_START.exec(text)) {
    const start = match.index + match[0].length
    const end = findObjectEnd(text, start)
    if (end === undefined) continue
    OBJECT_START.lastIndex = end
    const object = { number: Number(match[1]), generation: Number(match[2]), body: text.slice(start, end) }
    found.set(object.number, object)
    if (!/^[\s\S]{0,400}\/Type\s*\/ObjStm\b/.test(object.body)) continue
    const unpacked = unpackObjects(object.body, MAX_UNPACKED_BYTES - unpackedBytes)
    unpackedBytes += unpacked.reduce((sum, { body }) => sum + body.length, 0)
    for (const inner of unpacked) found.set(inner.number, inner)
  }
  return found
}

/** Returns nothing for an object that is cut off. */
function findObjectEnd(text: string, start: number): number | undefined {
  const end = text.indexOf('endobj', start)
  const next = text.slice(start, start + 200_000).search(/\d+\s+\d+\s+obj\b/)
  const stream = /\bstream\r?\n/.exec(text.slice(start, start + 20_000))
  const isStream = stream && (end < 0 || start + stream.index < end)
  if (isStream) {
    const streamEnd = text.indexOf('endstream', start + stream.index)
    return streamEnd < 0 ? undefined : streamEnd + 'endstream'.length
  }
  if (end < 0) return undefined
  // Without its own `endobj` it would swallow the next object.
  return next >= 0 && start + next < end ? start + next : end
}

/** The objects of an object stream; of damaged data, those before the damage. */
function unpackObjects(body: string, maxBytes: number): FoundObject[] {
  const head = /^([\s\S]*?)\bstream\r?\n/.exec(body)
  if (!head || maxBytes <= 0 || /\/Predictor\s+([2-9]|1\d)/.test(head[1]!)) return []
  const count = Number(/\/N\s+(\d+)/.exec(head[1]!)?.[1] ?? 0)
  const first = Number(/\/First\s+(\d+)/.exec(head[1]!)?.[1] ?? 0)
  const data = Buffer.from(body.slice(head[0].length, body.lastIndexOf('endstream')), 'latin1')
  const text = /\/FlateDecode\b/.test(head[1]!) ? tryInflate(data, maxBytes) : data.toString('latin1')
  const pairs = text.slice(0, first).trim().split(/\s+/).map(Number)
  return Array.from({ length: Math.min(count, pairs.length >> 1) }, (_, index) => {
    const from = first + pairs[index * 2 + 1]!
    const to = index + 1 < count ? first + (pairs[index * 2 + 3] ?? Number.NaN) : text.length
    return { number: pairs[index * 2]!, generation: 0, body: to <= text.length ? text.slice(from, to) : '' }
  }).filter(({ number, body: source }) => Number.isInteger(number) && source.trim() !== '')
}

function tryInflate(data: Buffer, maxBytes: number): string {
  try {
    const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: maxBytes }
    return inflateSync(data, options).toString('latin1')
  } catch {
    return ''
  }
}
