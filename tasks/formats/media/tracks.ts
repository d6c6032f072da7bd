import { listAudio, type MediaFacts, type MediaStream, Problem } from '#kit'

/** A number from 1, or a language such as `en` or `eng`. */
export type Track = number | string

export function requireAudio(media: MediaFacts | undefined, track: Track = 1): MediaStream {
  const streams = listAudio(media)
  if (streams.length === 0) throw new Problem('NO_AUDIO_STREAM')
  return pickTrack(streams, track)
}

export function pickTrack(streams: readonly MediaStream[], track: Track): MediaStream {
  const found =
    typeof track === 'number' ? streams[track - 1] : streams.find(({ language }) => isSameLanguage(language, track))
  if (found) return found
  const tracks = streams.map(({ language, codec }, index) => ({ track: index + 1, codec, language }))
  throw new Problem('TRACK_NOT_FOUND', { track, tracks })
}

/** The same language has codes of two and of three letters, some of them two of three. */
function isSameLanguage(tagged: string | undefined, wanted: string): boolean {
  if (tagged === undefined) return false
  return nameLanguage(tagged) === nameLanguage(wanted)
}

const BIBLIOGRAPHIC: Record<string, string> = {
  ger: 'de',
  fre: 'fr',
  dut: 'nl',
  chi: 'zh',
  cze: 'cs',
  gre: 'el',
  per: 'fa',
  rum: 'ro',
  slo: 'sk',
  ice: 'is',
}

export function nameLanguage(code: string): string {
  const plain = code.toLowerCase()
  try {
    return BIBLIOGRAPHIC[plain] ?? new Intl.Locale(plain).language
  } catch {
    return plain
  }
}
