import { findVideo, type Warning } from '#kit'
import { resolveRange } from '../../formats/media/times.ts'
import { planVisual } from '../../formats/media/video-output.ts'
import { selectSounds, toEncodeOptions } from './plan.ts'
import { type VideoJob, writeVideo } from './write.ts'

/** Headers and the encoder's own inaccuracy. */
const USABLE = 0.94
const MIN_KBPS = 24
const SOUND_KBPS = 96
const MAX_TRIES = 3

/** Encodes to at most a number of bytes: two passes, and again with less if the encoder missed the target. */
export async function writeToSize(job: VideoJob, targetBytes: number, sizeOf: (path: string) => Promise<number>) {
  const { input, media, to, path } = job
  const { start, end } = resolveRange(input, media.seconds)
  const sounds = selectSounds(media, input).length
  const { codec } = planVisual(findVideo(media), to, toEncodeOptions(input))
  let kbps = (targetBytes * 8 * USABLE) / 1000 / (end - start) - sounds * SOUND_KBPS
  for (let attempt = 1; ; attempt++) {
    const bitrate = Math.max(MIN_KBPS, Math.floor(kbps))
    const written = await writeInPasses(job, bitrate, codec !== 'av1')
    const sizeBytes = await sizeOf(path)
    const isMet = sizeBytes <= targetBytes
    if (isMet || attempt === MAX_TRIES || bitrate === MIN_KBPS)
      return {
        result: { ...written.result!, targetMet: isMet },
        warnings: [...written.warnings, ...missedWarning(isMet)],
      }
    kbps = Math.min(kbps * 0.9, (bitrate * targetBytes * USABLE) / sizeBytes)
  }
}

async function writeInPasses(job: VideoJob, bitrate: number, hasPasses: boolean) {
  if (!hasPasses) return writeVideo(job, bitrate)
  await writeVideo(job, bitrate, 1)
  return writeVideo(job, bitrate, 2)
}

function missedWarning(isMet: boolean): Warning[] {
  const message = 'The video could not be made as small as targetBytes; a smaller width or rate may help.'
  return isMet ? [] : [{ code: 'TARGET_NOT_MET', message }]
}
