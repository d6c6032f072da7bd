import { findVideo, listAudio, type MediaFacts, type OutputFile, Problem, type Tools } from '#kit'
import { defined } from './description.ts'
import { roundSeconds } from './times.ts'

export type Ffmpeg = Tools['ffmpeg']

/** What every answer says of its output. */
function summarizeMedia(media: MediaFacts) {
  const video = findVideo(media)
  const [audio] = listAudio(media)
  return {
    durationSec: roundSeconds(media.seconds),
    ...defined({
      width: video?.width,
      height: video?.height,
      fps: video?.avgFps ?? video?.fps,
      videoCodec: video?.codec,
      audioCodec: audio?.codec,
      bitrate: media.bitrate,
    }),
  }
}

/** Reads back what was written. An output without a stream is one of which nothing could be decoded. */
export async function readResult(ffmpeg: Ffmpeg, path: string, output: Omit<OutputFile, 'path'>) {
  const written = await ffmpeg.probe(path)
  const isEmpty = !written.streams.some(({ type, isCover }) => (type === 'audio' || type === 'video') && !isCover)
  if (isEmpty || written.seconds === 0)
    throw new Problem('MEDIA_DECODE_FAILED', { detail: 'nothing in this file could be decoded' })
  return { output: { ...output, path }, media: summarizeMedia(written) }
}

export function damageWarnings(isDamaged: boolean) {
  const message = 'Part of the input is damaged; it was left out or repaired.'
  return isDamaged ? [{ code: 'INPUT_DAMAGED', message }] : []
}
