import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { type Facts, type FileLimits, findVideo, type MediaFacts, type MediaIssue, Problem } from '#kit'
import type { HostContext } from '../host-context.ts'
import type { FileToProbe } from './file-to-probe.ts'

const ISO_FILE = /^(?:video\/(?:mp4|quicktime|x-m4v|3gpp2?)|audio\/(?:mp4|x-m4a))$/

/** Larger files are read anew each time, because hashing them would block the event loop. */
const MAX_HASHED_BYTES = 4 * 2 ** 20
const MAX_KNOWN = 200
const MAX_KNOWN_CHARS = 16_384
const known = new Map<string, MediaFacts>()

/** Finds what a recording holds and refuses one over the limits. */
export async function probeMedia(file: FileToProbe, context: HostContext, limits: FileLimits): Promise<Facts> {
  const media = await readFacts(file, context).catch((error: unknown) => describeBroken(error, file, context))
  checkLimits(media, file, limits)
  const { width, height } = findVideo(media) ?? {}
  return { seconds: media.seconds, ...(width && height ? { width, height } : {}), media }
}

/** A call often follows its quote, or another call with the same file; starting the reader takes longer than hashing. */
async function readFacts({ path, sizeBytes }: FileToProbe, context: HostContext): Promise<MediaFacts> {
  const { bind } = await import('../tools/ffmpeg/tool.ts')
  const { describePlain, probe } = bind(context)
  const plain = await describePlain(path)
  if (plain) return plain
  if (sizeBytes > MAX_HASHED_BYTES) return probe(path)
  const key = createHash('sha256')
    .update(await readFile(path))
    .digest('base64')
  const facts = known.get(key) ?? (await probe(path))
  known.delete(key)
  if (JSON.stringify(facts).length <= MAX_KNOWN_CHARS) known.set(key, facts)
  if (known.size > MAX_KNOWN) known.delete(known.keys().next().value!)
  return facts
}

/** Of a file that cannot be opened, `media-parts` reports why; for any other call it is a problem. */
async function describeBroken(error: unknown, file: FileToProbe, context: HostContext): Promise<MediaFacts> {
  if (!(error instanceof Problem)) throw error
  const isUnreadable = error.code === 'MEDIA_DECODE_FAILED'
  if (!isUnreadable || file.probe !== 'media-parts' || !ISO_FILE.test(file.type))
    throw new Problem(error.code, { ...error.hints, ...(isUnreadable && { detected: file.type }), ...place(file) })
  const { bind } = await import('../tools/ffmpeg/tool.ts')
  const { hasIndex } = await bind(context).readBoxOrder(file.path)
  const detail = String(error.hints.detail ?? 'it cannot be read')
  const issue: MediaIssue = hasIndex
    ? { code: 'INDEX_DAMAGED', message: `The index cannot be read: ${detail}` }
    : { code: 'INDEX_MISSING', message: 'The file has no index (moov); the recording or the upload was cut off.' }
  return { container: 'mp4', seconds: 0, startSeconds: 0, streams: [], chapters: [], tags: {}, issues: [issue] }
}

function place({ index }: FileToProbe): { index?: number } {
  return index === undefined ? {} : { index }
}

function checkLimits(media: MediaFacts, file: FileToProbe, limits: FileLimits): void {
  // Of a long recording the facts are told as fast as of a short one.
  if (file.probe !== 'media-parts' && media.seconds > limits.seconds)
    throw new Problem('TOO_LONG', { limit: limits.seconds, actual: Math.ceil(media.seconds), ...place(file) })
  for (const { type, width = 0, height = 0, avgFps = 0, isCover } of media.streams) {
    if (type !== 'video') continue
    check(width * height, limits.videoPixels, 'the picture', file)
    if (!isCover) check(Math.floor(avgFps), limits.framesPerSecond, 'frames per second', file)
  }
}

function check(actual: number, limit: number, of: string, file: FileToProbe): void {
  if (actual > limit) throw new Problem('TOO_MANY_PIXELS', { limit, actual, of, ...place(file) })
}
