import type { InputFile, MediaFacts, MediaStream, Warning } from '#kit'
import { AUDIO_CONTAINERS, type AudioFormat } from './containers.ts'
import { damageWarnings, type Ffmpeg, readResult } from './result.ts'
import { buildEditFilters, planSound, planTags, type SoundEdits, type SoundOptions } from './sound.ts'
import { seekOptions, type TimeRange } from './times.ts'

interface SoundSource {
  file: InputFile
  media: MediaFacts
  audio: MediaStream
  range: TimeRange
}

interface WriteOptions extends SoundOptions, SoundEdits {
  tags: 'keep' | 'strip'
  cover: 'keep' | 'strip'
  /** Filters of the operation itself, before the edits. */
  filters?: readonly string[]
  /** The filters report something in the log. */
  logLevel?: 'info'
  /** How long the output is, if not as long as the range. */
  seconds?: number
}

/** Encodes the sound of a file into an audio format, with its tags and cover. */
export async function writeSound(ffmpeg: Ffmpeg, source: SoundSource, path: string, options: WriteOptions) {
  const { file, media, audio, range } = source
  const { to } = options
  const seconds = options.seconds ?? range.end - range.start
  const plan = planSound(audio, options)
  const tags = planTags(media, options)
  const filters = [...plan.filters, ...(options.filters ?? []), ...buildEditFilters(options, seconds)]
  const { isDamaged, log } = await ffmpeg.run({
    inputs: [{ path: file.path, options: seekOptions(range, media.seconds) }],
    graph: `[0:${audio.index}]${filters.join(',')}[sound]`,
    outputs: [
      {
        path,
        options: [
          '-map',
          '[sound]',
          ...tagSource(media, audio, options),
          ...tags.options,
          ...plan.encoder,
          '-f',
          plan.muxer,
        ],
      },
    ],
    seconds,
    logLevel: options.logLevel,
  })
  const warnings: Warning[] = [...plan.warnings, ...tags.warnings, ...damageWarnings(isDamaged && !options.logLevel)]
  return { result: await readResult(ffmpeg, path, nameOutput(to)), warnings, log }
}

export function nameOutput(to: AudioFormat) {
  return { contentType: AUDIO_CONTAINERS[to].contentType, name: `audio.${to}` }
}

/** Ogg keeps the tags with the stream, and every other format with the file. */
function tagSource({ container }: MediaFacts, { index }: MediaStream, { tags }: WriteOptions): string[] {
  return container === 'ogg' && tags === 'keep' ? ['-map_metadata', `0:s:${index}`] : []
}
