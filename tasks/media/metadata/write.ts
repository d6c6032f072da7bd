import { type InputFile, type MediaFacts, Problem, type Warning } from '#kit'
import { damageWarnings, type Ffmpeg, readResult } from '../../formats/media/result.ts'
import { readTags, renderChapters, TAG_NAMES } from '../../formats/media/tags.ts'
import { resolveTime, type Time } from '../../formats/media/times.ts'

export type TagValues = Partial<Record<keyof typeof TAG_NAMES | 'language', string | null>>

interface Container {
  muxer: string
  extension: string
  contentType: string
  cover?: 'stream' | 'attachment'
  hasChapters?: boolean
}

/** The formats that can be written again without encoding anything. */
const CONTAINERS: Record<string, Container> = {
  mp4: { muxer: 'mp4', extension: 'mp4', contentType: 'video/mp4', cover: 'stream', hasChapters: true },
  m4a: { muxer: 'ipod', extension: 'm4a', contentType: 'audio/x-m4a', cover: 'stream', hasChapters: true },
  mov: { muxer: 'mov', extension: 'mov', contentType: 'video/quicktime', hasChapters: true },
  '3gp': { muxer: '3gp', extension: '3gp', contentType: 'video/3gpp' },
  mkv: { muxer: 'matroska', extension: 'mkv', contentType: 'video/matroska', cover: 'attachment', hasChapters: true },
  webm: { muxer: 'webm', extension: 'webm', contentType: 'video/webm', hasChapters: true },
  avi: { muxer: 'avi', extension: 'avi', contentType: 'video/vnd.avi' },
  mp3: { muxer: 'mp3', extension: 'mp3', contentType: 'audio/mpeg', cover: 'stream', hasChapters: true },
  flac: { muxer: 'flac', extension: 'flac', contentType: 'audio/flac', cover: 'stream' },
  ogg: { muxer: 'ogg', extension: 'ogg', contentType: 'audio/ogg', hasChapters: true },
  wav: { muxer: 'wav', extension: 'wav', contentType: 'audio/wav' },
  aiff: { muxer: 'aiff', extension: 'aiff', contentType: 'audio/aiff' },
}
export const WRITTEN_TYPES = [...new Set(Object.values(CONTAINERS).map(({ contentType }) => contentType))]

interface TagChanges {
  set?: TagValues
  cover?: InputFile | null
  chapters?: { start: Time; title: string }[]
  isStripped: boolean
}

interface TagJob {
  ffmpeg: Ffmpeg
  file: InputFile
  out(name: string): string
  changes: TagChanges
}

export async function writeTags({ ffmpeg, file, out, changes }: TagJob) {
  const media = file.facts.media!
  const container = CONTAINERS[media.container]
  if (!container)
    throw new Problem('UNSUPPORTED_FORMAT', { detected: media.container, supported: Object.keys(CONTAINERS) })
  checkPlace(container, media, changes)
  const path = out(`tagged.${container.extension}`)
  const { inputs, options } = await planInputs(ffmpeg, media, container, changes)
  const { isDamaged } = await ffmpeg.run({
    inputs: [{ path: file.path }, ...inputs],
    outputs: [{ path, options: [...options, ...tagOptions(media, changes), ...muxerOptions(container, changes)] }],
  })
  const output = { contentType: container.contentType, name: `tagged.${container.extension}` }
  const result = await readResult(ffmpeg, path, output)
  const warnings = [...damageWarnings(isDamaged), ...(await compareTags(ffmpeg, path, media, changes))]
  return { result, warnings }
}

function checkPlace({ cover: place, hasChapters }: Container, { container }: MediaFacts, changes: TagChanges): void {
  if (changes.cover && !place) throw new Problem('METADATA_INVALID', { field: 'cover', container })
  if (changes.chapters && !hasChapters) throw new Problem('METADATA_INVALID', { field: 'chapters', container })
}

/** Everything but tracks of data is copied; a cover and chapters are further inputs. */
async function planInputs(ffmpeg: Ffmpeg, media: MediaFacts, container: Container, changes: TagChanges) {
  const { cover, chapters, isStripped } = changes
  const removesCover = isStripped || cover !== undefined
  const kept = media.streams.filter(({ type, isCover }) => type !== 'data' && !(removesCover && isCover))
  const options = [...kept.flatMap(({ index }) => ['-map', `0:${index}`]), '-c', 'copy']
  const inputs: { path: string }[] = []
  if (cover && container.cover === 'stream') {
    inputs.push({ path: cover.path })
    const at = kept.filter(({ type }) => type === 'video').length
    options.push('-map', `${inputs.length}:v`, `-disposition:v:${at}`, 'attached_pic')
  }
  if (cover && container.cover === 'attachment') {
    const name = await ffmpeg.addInput(cover.path)
    const at = kept.filter(({ type }) => type === 'attachment').length
    const extension = cover.type === 'image/png' ? 'png' : 'jpg'
    const details = [`mimetype=${cover.type}`, `filename=cover.${extension}`]
    options.push('-attach', name, ...details.flatMap(detail => [`-metadata:s:t:${at}`, detail]))
  }
  if (chapters) {
    inputs.push({ path: await ffmpeg.write('chapters.txt', renderChapters(planChapters(chapters, media.seconds))) })
    options.push('-map_chapters', String(inputs.length))
  }
  return { inputs, options }
}

function planChapters(chapters: { start: Time; title: string }[], seconds: number) {
  const starts = chapters.map(({ start }) => resolveTime(start, seconds, 'chapters'))
  return chapters.map(({ title }, index) => {
    const [start, end] = [starts[index]!, starts[index + 1] ?? seconds]
    if (end <= start) throw new Problem('METADATA_INVALID', { field: 'chapters', index, detail: 'not in order' })
    return { start, end, title }
  })
}

function tagOptions(media: MediaFacts, { set = {}, isStripped }: TagChanges): string[] {
  const languages = media.streams.flatMap(({ language }, at) =>
    isStripped && language ? [`-metadata:s:${at}`, `language=${language}`] : [],
  )
  const { language, ...tags } = set
  const place = media.container === 'ogg' ? '-metadata:s:0' : '-metadata'
  const values = Object.entries(tags).flatMap(([name, value]) => [
    place,
    `${TAG_NAMES[name as keyof typeof TAG_NAMES]}=${value ?? ''}`,
  ])
  const spoken = language === undefined ? [] : ['-metadata:s:a:0', `language=${language ?? 'und'}`]
  return [...(isStripped ? ['-map_metadata', '-1', ...languages] : []), ...values, ...spoken]
}

function muxerOptions({ muxer }: Container, { isStripped }: TagChanges): string[] {
  const ids = muxer === 'mp3' ? ['-id3v2_version', '3', '-write_id3v1', isStripped ? '0' : '1'] : []
  const covers = muxer === 'aiff' ? ['-write_id3v2', '1'] : []
  const exact = isStripped ? ['-fflags', '+bitexact'] : []
  const fast = ['mp4', 'mov', 'ipod'].includes(muxer) ? ['-movflags', '+faststart'] : []
  return [...ids, ...covers, ...exact, ...fast, '-f', muxer]
}

/** Each format has tags that it cannot hold; those are named. */
async function compareTags(ffmpeg: Ffmpeg, path: string, media: MediaFacts, changes: TagChanges): Promise<Warning[]> {
  if (changes.isStripped) return []
  const wanted: Record<string, string | null | undefined> = { ...readTags(media), ...changes.set, language: undefined }
  const written = readTags(await ffmpeg.probe(path))
  const lost = Object.entries(wanted).flatMap(([name, value]) => (value && written[name] === undefined ? [name] : []))
  if (lost.length === 0) return []
  return [{ code: 'TAGS_DROPPED', message: `${media.container} has no place for: ${lost.join(', ').slice(0, 300)}.` }]
}
