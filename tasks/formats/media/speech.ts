/** What was said, with seconds from the beginning of the sound. */
export interface SpeechSegment {
  start: number
  end: number
  text: string
  words?: SpokenWord[]
}

export interface SpokenWord {
  start: number
  end: number
  word: string
}

export interface Speech {
  /** ISO 639-1, if the provider names one that we know. */
  language?: string
  segments: SpeechSegment[]
}

export const SAMPLE_RATE = 16_000
export const SAMPLE_BYTES = 2
/** Whisper hears nothing in less than a second. */
const MIN_SECONDS = 1.1
const WAV_HEADER_BYTES = 44
const PAUSE_SAMPLES = SAMPLE_RATE / 5

/** Writing in these scripts puts no spaces between words. */
const SPACELESS = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`
const WIDE_MARKS = String.raw`\u3000-\u303F\uFF01-\uFF65`
const BEGINS_SPACELESS = new RegExp(`^[${SPACELESS}]`, 'u')
const BEGINS_TIGHT = new RegExp(`^[${SPACELESS}${WIDE_MARKS}]`, 'u')
const ENDS_TIGHT = new RegExp(`[${SPACELESS}${WIDE_MARKS}]$`, 'u')

/** Puts the texts of segments together as they are written. */
export function joinSpeech(texts: readonly string[]): string {
  return texts.reduce((sum, text) => {
    const isTight = sum === '' || (BEGINS_TIGHT.test(text) && ENDS_TIGHT.test(sum))
    return isTight ? sum + text : `${sum} ${text}`
  }, '')
}

/** Whether a text begins a word although no space is before it. */
export function isSpaceless(text: string): boolean {
  return BEGINS_SPACELESS.test(text)
}

/** Samples of 16 kHz and one channel as a file, which is never shorter than what models accept. */
export function wrapWav(samples: Uint8Array): Uint8Array<ArrayBuffer> {
  const dataBytes = Math.max(samples.length, Math.round(MIN_SECONDS * SAMPLE_RATE) * SAMPLE_BYTES)
  const wav = Buffer.alloc(WAV_HEADER_BYTES + dataBytes)
  wav.write('RIFF', 0, 'latin1')
  wav.writeUInt32LE(WAV_HEADER_BYTES - 8 + dataBytes, 4)
  wav.write('WAVEfmt ', 8, 'latin1')
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(1, 20)
  wav.writeUInt16LE(1, 22)
  wav.writeUInt32LE(SAMPLE_RATE, 24)
  wav.writeUInt32LE(SAMPLE_RATE * SAMPLE_BYTES, 28)
  wav.writeUInt16LE(SAMPLE_BYTES, 32)
  wav.writeUInt16LE(SAMPLE_BYTES * 8, 34)
  wav.write('data', 36, 'latin1')
  wav.writeUInt32LE(dataBytes, 40)
  wav.set(samples, WAV_HEADER_BYTES)
  return wav
}

/** The middle of the quietest fifth of a second after a byte, where a cut is least likely to divide a word. */
export function findPause(samples: Buffer, fromByte: number): number {
  const windowBytes = PAUSE_SAMPLES * SAMPLE_BYTES
  let best = { at: samples.length, loudness: Number.POSITIVE_INFINITY }
  for (let at = fromByte; at + windowBytes <= samples.length; at += windowBytes) {
    let loudness = 0
    for (let offset = 0; offset < windowBytes; offset += SAMPLE_BYTES)
      loudness += Math.abs(samples.readInt16LE(at + offset))
    if (loudness < best.loudness) best = { at: at + windowBytes / 2, loudness }
  }
  return best.at
}
