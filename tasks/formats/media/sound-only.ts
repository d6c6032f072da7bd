import type { MediaFacts, MediaStream } from '#kit'
import { AUDIO_CONTAINERS, AUDIO_FORMATS, type AudioFormat } from './containers.ts'

/** What an edited sound is written as: like its source, or as M4A if that format is only read. */
export function chooseSoundFormat({ container }: MediaFacts, { codec }: MediaStream): AudioFormat {
  if (container === 'ogg') return codec === 'opus' ? 'opus' : codec === 'flac' ? 'flac' : 'ogg'
  return AUDIO_FORMATS.find(name => name === container) ?? chooseByCodec(codec)
}

function chooseByCodec(codec: string): AudioFormat {
  if (codec.startsWith('pcm_')) return 'wav'
  return AUDIO_FORMATS.find(name => AUDIO_CONTAINERS[name].copies.test(codec)) ?? 'm4a'
}
