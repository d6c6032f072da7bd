import type { Facts, MediaFacts, MediaStream } from '#kit'

// Decision 0196: change all of a price in one proportion.

const STREAM = { default: true, forced: false, tags: {} }
const VIDEO: MediaStream = { ...STREAM, index: 0, type: 'video', codec: 'h264', width: 64, height: 48, fps: 10 }
const SOUND: MediaStream = { ...STREAM, index: 1, type: 'audio', codec: 'aac', channels: 1, sampleRate: 16_000 }

function recording(container: string, seconds: number, streams: MediaStream[]): Facts {
  const media: MediaFacts = { container, seconds, startSeconds: 0, streams, chapters: [], tags: {}, issues: [] }
  const isVideo = streams.includes(VIDEO)
  return { seconds, ...(isVideo && { width: 64, height: 48 }), media }
}

function image(width: number, height: number): Facts {
  return { width, height, frames: 1 }
}

/** What a worker finds in the files of the printed examples, as far as a price depends on it. A test compares the prices. */
export const SAMPLE_FACTS: Readonly<Record<string, Facts>> = {
  'bookmarked.pdf': { pages: 2 },
  'captioned.mkv': recording('matroska', 1.032, [
    VIDEO,
    { ...SOUND, codec: 'opus' },
    { ...SOUND, index: 2, codec: 'opus' },
  ]),
  'clip.mp4': recording('mp4', 1, [VIDEO, SOUND]),
  'gradient.png': image(160, 120),
  'leaflet.pdf': { pages: 1 },
  'letter-revised.pdf': { pages: 3 },
  'letter.pdf': { pages: 2 },
  'order-form.pdf': { pages: 2 },
  'passport.png': image(1100, 420),
  'price-list.pdf': { pages: 1 },
  'scan.pdf': { pages: 1 },
  'sign.png': image(340, 80),
  'signed.pdf': { pages: 2 },
  'tone.wav': recording('wav', 0.6, [{ ...SOUND, index: 0, codec: 'pcm_s16le', sampleRate: 8_000 }]),
  'two-pages.pdf': { pages: 2 },
  'wifi-code.png': image(231, 231),
}
