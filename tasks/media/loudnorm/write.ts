import { findVideo, type InputFile, type MediaStream } from '#kit'
import type { AudioFormat } from '../../formats/media/containers.ts'
import type { Quality } from '../../formats/media/encoders.ts'
import { type Ffmpeg, readResult } from '../../formats/media/result.ts'
import { chooseSoundFormat } from '../../formats/media/sound-only.ts'
import { chooseContainer, encodeSound, muxOptions, nameVideo, planExtras } from '../../formats/media/video-output.ts'
import { writeSound } from '../../formats/media/write-sound.ts'

interface Written {
  ffmpeg: Ffmpeg
  out(name: string): string
  file: InputFile
  audio: MediaStream
  filters: readonly string[]
  to: AudioFormat | 'keep'
  quality: Quality
}

/** Writes the changed sound, beside the copied picture if there is one. The log has the report of the filter. */
export function writeLevelled(options: Written) {
  const isVideo = options.to === 'keep' && findVideo(options.file.facts.media!) !== undefined
  return isVideo ? writeVideo(options) : writeAudio(options)
}

async function writeAudio({ ffmpeg, out, file, audio, filters, to, quality }: Written) {
  const media = file.facts.media!
  const format = to === 'keep' ? chooseSoundFormat(media, audio) : to
  const keep = { sampleRate: 'keep', channels: 'keep', tags: 'keep', cover: 'keep' } as const
  const source = { file, media, audio, range: { start: 0, end: media.seconds } }
  const options = { ...keep, to: format, quality, filters, logLevel: 'info' } as const
  return writeSound(ffmpeg, source, out(`audio.${format}`), options)
}

async function writeVideo({ ffmpeg, out, file, audio, filters, quality }: Written) {
  const media = file.facts.media!
  const container = chooseContainer(media)
  const path = out(`video.${container}`)
  const sound = encodeSound(audio, container, { quality })
  const extras = planExtras(media, container, true)
  const video = findVideo(media)!
  const maps = ['-map', `0:${video.index}`, '-map', '[sound]', ...extras.options, '-c:v', 'copy', ...sound.encoder]
  const graph = `[0:${audio.index}]${[...filters, ...sound.filters].join(',')}[sound]`
  const outputs = [{ path, options: [...maps, ...muxOptions(container)] }]
  const inputs = [{ path: file.path }]
  const { log } = await ffmpeg.run({ inputs, graph, outputs, seconds: media.seconds, logLevel: 'info' })
  return { result: await readResult(ffmpeg, path, nameVideo(container)), warnings: extras.warnings, log }
}
