import type { SpeechSegment } from '../../formats/media/speech.ts'
import { renderSrt, renderVtt } from '../../formats/subtitles/cue.ts'

export const TRANSCRIPT_TYPES = {
  srt: 'application/x-subrip',
  vtt: 'text/vtt',
  txt: 'text/plain',
  json: 'application/json',
} as const

interface Transcript {
  text: string
  segments: readonly SpeechSegment[]
}

/** Text files have a line for each segment. */
export function renderTranscript(transcript: Transcript, to: keyof typeof TRANSCRIPT_TYPES) {
  const { segments } = transcript
  const render = {
    srt: () => renderSrt(segments),
    vtt: () => renderVtt(segments),
    txt: () => segments.map(({ text }) => `${text}\n`).join(''),
    json: () => `${JSON.stringify(transcript, undefined, 2)}\n`,
  }[to]
  return { bytes: Buffer.from(render()), contentType: TRANSCRIPT_TYPES[to], name: `transcript.${to}` }
}
