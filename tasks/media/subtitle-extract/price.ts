import { type InputFile, type MediaStream, type Price, usd } from '#kit'
import { isTextSubtitle } from '../../formats/media/video-output.ts'
import { MAX_READ_CUES } from './images.ts'

interface Input {
  file: InputFile
  ocr: boolean
}

export const CUES_PER_UNIT = 100
export const PRICE: Price<Input> = {
  unit: 'started 100 cues that are read in pictures',
  ...{ rateMicros: usd('0.005'), baseMicros: usd('0.002'), basis: 'content' },
  ...{ minUnits: 0, maxUnits: MAX_READ_CUES / CUES_PER_UNIT },
  units: ({ file, ocr }) => (ocr && listImageTracks(file).length > 0 ? MAX_READ_CUES / CUES_PER_UNIT : 0),
  expectedUnits: ({ file, ocr }) => (ocr && listImageTracks(file).length > 0 ? 10 : 0),
}

export function listSubtitles({ facts: { media } }: InputFile): MediaStream[] {
  return media?.streams.filter(({ type }) => type === 'subtitle') ?? []
}

function listImageTracks(file: InputFile): MediaStream[] {
  return listSubtitles(file).filter(stream => !isTextSubtitle(stream))
}
