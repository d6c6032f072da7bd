import { expect, test } from 'vitest'
import { findTariff, type MediaFacts, type MediaStream } from '#kit'
import { loadOperation } from '../../../tasks/index.ts'

const stream = { default: true, forced: false, tags: {} }
const audio: MediaStream = { ...stream, index: 0, type: 'audio', codec: 'pcm_s16le', channels: 2, sampleRate: 44_100 }
const seconds = 601
const media: MediaFacts = {
  ...{ container: 'wav', seconds, startSeconds: 0, streams: [audio], chapters: [], tags: {}, issues: [] },
}
const file = { path: 'a.wav', sizeBytes: 1, type: 'audio/wav', facts: { seconds, media } }

const DEFAULTS = {
  mode: 'precise',
  videoCodec: 'auto',
  hdr: 'sdr',
  fps: 'keep',
  fit: 'inside',
  measureOnly: false,
  invert: false,
}

test.each([
  ['loudnorm', { measureOnly: true }, 'started 5 minutes', 1_000n, 3],
  ['loudnorm', {}, 'started 5 minutes', 2_000n, 3],
  ['silence', { action: 'detect' }, 'started 5 minutes', 1_000n, 3],
  ['silence', { action: 'remove' }, 'started 5 minutes', 1_000n, 3],
  ['speed', { factor: 0.5 }, 'started 5 minutes', 1_000n, 5],
  ['trim', { start: 0, end: 301 }, 'started 5 minutes', 1_000n, 2],
  ['convert', { to: 'mp3' }, 'started 5 minutes', 1_000n, 3],
  ['convert', { to: 'mp4' }, 'started 5 minutes', 1_000n, 3],
  ['audio-convert', { to: 'mp3' }, 'started 5 minutes', 1_000n, 3],
  ['waveform', {}, 'started 5 minutes', 1_000n, 3],
  ['probe', { deep: true }, 'started 10 minutes', 1_000n, 2],
])('media.%s of sound with %j names the unit and rate it charges', async (name, options, unit, rateMicros, units) => {
  const { price } = await loadOperation(`media.${name}`)
  const tariff = findTariff(price, { ...DEFAULTS, ...options, file } as never)
  expect(tariff).toMatchObject({ unit, rateMicros, units })
})
