import { findVideo, type InputFile } from '#kit'
import { countAudioUnits, countVideoUnits, isSoundOnly, perVideoUnit, soundVariant } from '../../formats/media/price.ts'
import { chooseContainer, planVisual } from '../../formats/media/video-output.ts'

interface Priced {
  file: InputFile
  factor: number
}

function findLonger({ file, factor }: Priced): number {
  const { seconds = 0 } = file.facts
  return Math.max(seconds, seconds / factor)
}

function countUnits(input: Priced): number {
  const { media } = input.file.facts
  const encoded = planVisual(findVideo(media), chooseContainer(media), { videoCodec: 'auto', speedPreset: 'fast' })
  return countVideoUnits({ ...encoded, seconds: findLonger(input) })
}

export const PRICE = perVideoUnit<Priced>(countUnits, [
  soundVariant(
    'the file has no picture',
    ({ file }) => isSoundOnly(file),
    input => countAudioUnits(findLonger(input)),
  ),
])
