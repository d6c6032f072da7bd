import { type InputFile, type MediaFacts, type MediaStream, Problem, type Warning } from '#kit'
import { AUDIO_CONTAINERS, AUDIO_FORMATS, type AudioFormat } from '../../formats/media/containers.ts'
import { type Ffmpeg, readResult } from '../../formats/media/result.ts'
import { planTags } from '../../formats/media/sound.ts'
import { copyOptions, seekOptions, type TimeRange } from '../../formats/media/times.ts'

/** Codecs that have files of their own and are not among the formats that we encode. */
const OWN_FILES: Record<string, { extension: string; contentType: string; muxer: string }> = {
  ac3: { extension: 'ac3', contentType: 'audio/vnd.dolby.dd-raw', muxer: 'ac3' },
  eac3: { extension: 'eac3', contentType: 'audio/eac3', muxer: 'eac3' },
  dts: { extension: 'dts', contentType: 'audio/vnd.dts', muxer: 'dts' },
  mp2: { extension: 'mp2', contentType: 'audio/mpeg', muxer: 'mp2' },
  amr_nb: { extension: 'amr', contentType: 'audio/amr', muxer: 'amr' },
  wmav2: { extension: 'wma', contentType: 'audio/x-ms-asf', muxer: 'asf' },
}
/** A file that holds any codec. */
const ANY_CODEC = { extension: 'mka', contentType: 'video/matroska', muxer: 'matroska' }
export const COPY_CONTENT_TYPES = [
  ...Object.values(OWN_FILES).map(({ contentType }) => contentType),
  ANY_CODEC.contentType,
]

const ENCODING_FIELDS = ['bitrate', 'bitDepth'] as const
const NEUTRAL = { gainDb: 0, fadeInMs: 0, fadeOutMs: 0, sampleRate: 'keep', channels: 'keep' } as const

/** A copy changes nothing, so an option that would is refused. */
export function checkCopy(options: Record<string, unknown>): void {
  const changed = Object.entries(NEUTRAL).flatMap(([field, neutral]) => (options[field] === neutral ? [] : [field]))
  const given = ENCODING_FIELDS.filter(field => options[field] !== undefined)
  if (changed.length + given.length > 0)
    throw new Problem('CONFLICTING_OPTIONS', { fields: ['to', ...changed, ...given] })
}

interface Source {
  file: InputFile
  media: MediaFacts
  audio: MediaStream
  range: TimeRange
}

export async function copySound(
  ffmpeg: Ffmpeg,
  { file, media, audio, range }: Source,
  out: (name: string) => string,
  name: string,
  { tags, cover }: { tags: 'keep' | 'strip'; cover: 'keep' | 'strip' },
) {
  const format = chooseFormat(audio.codec)
  const target = format ? { ...AUDIO_CONTAINERS[format], extension: format } : (OWN_FILES[audio.codec] ?? ANY_CODEC)
  const plan = format ? planTags(media, { to: format, tags, cover }) : { options: [], warnings: [] as Warning[] }
  const path = out(`${name}.${target.extension}`)
  const copy = ['-map', `0:${audio.index}`, '-c:a', 'copy', ...plan.options, ...copyOptions(range)]
  await ffmpeg.run({
    inputs: [{ path: file.path, options: seekOptions(range, media.seconds) }],
    outputs: [{ path, options: [...copy, '-f', target.muxer] }],
  })
  const output = { contentType: target.contentType, name: `${name}.${target.extension}` }
  return { result: await readResult(ffmpeg, path, output), warnings: plan.warnings }
}

/** Opus goes into a file that calls itself Ogg, as most players expect it. */
function chooseFormat(codec: string): AudioFormat | undefined {
  if (codec === 'opus') return 'ogg'
  return AUDIO_FORMATS.find(name => name !== 'aac' && name !== 'opus' && AUDIO_CONTAINERS[name].copies.test(codec))
}
