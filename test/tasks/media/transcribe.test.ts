import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { newId } from '#kit'
import { openTranscriber } from '../../../ops/providers/transcription/open.ts'
import type { Pools } from '../../../pools/index.ts'
import { joinWorkers } from '../../../sql/worker.ts'
import { eventually } from '../../support/machine/eventually.ts'
import {
  describeRecording,
  listStreams,
  measureHertz,
  readSamples,
  record,
  sample,
  sine,
} from '../../support/media/recordings.ts'
import { runJob, testPools } from '../../support/pools/open.ts'
import { type FakeTranscriber, OPENAI_ANSWER, openFakeTranscriber } from '../../support/servers/transcribers.ts'
import { openIdleStack } from '../../support/stack/default.ts'

let fake: FakeTranscriber
let pools: Pools & AsyncDisposable
beforeAll(async () => {
  fake = await openFakeTranscriber()
  pools = await testPools({ transcriber: openTranscriber(fake.config('openai')) })
})
afterAll(async () => {
  await pools[Symbol.asyncDispose]()
  await fake[Symbol.asyncDispose]()
})
beforeEach(() => {
  fake.asked.length = 0
  fake.reply = () => ({ json: OPENAI_ANSWER })
})

interface Segment {
  start: number
  text: string
  words?: object[]
}

async function transcribe(file: string | Uint8Array, options: Record<string, unknown> = {}) {
  const { result, bytes, ...rest } = await runJob(pools, 'media.transcribe', { file, ...options })
  return { ...rest, text: result.text, language: result.language, segments: result.segments as Segment[], bytes }
}

const TONES = record('mkv', `${sine(440, 2)} ${sine(880, 2)} -map 0 -map 1 -c:a flac`)

test('sends the chosen sound as 16 kHz of one channel, and tells times of the recording', async () => {
  const { segments, text, language, chargedMicros } = await transcribe(TONES, { track: 2, start: 0.5, words: true })
  expect([text, language, chargedMicros]).toEqual(['Good day. Goodbye <now>.', 'en', 8_000n])
  expect(segments.map(({ start, words }) => [start, words?.[0]])).toEqual([
    [0.5, { word: 'Good', start: 0.5, end: 0.9 }],
    [1.5, { word: 'Goodbye', start: 1.5, end: 2 }],
  ])
  const { sound } = fake.asked[0]!
  expect(listStreams(sound)).toEqual(['pcm_s16le 16000/1'])
  expect(Number(describeRecording(sound).format.duration)).toBeCloseTo(1.5, 1)
  expect(Math.abs(measureHertz(readSamples(sound), 0.2, 1.2) - 880)).toBeLessThan(10)
})

test('writes subtitles, text and JSON', async () => {
  const srt = await transcribe(TONES)
  expect(listStreams(srt.bytes)).toEqual(['subrip'])
  expect(`${srt.bytes}`).toContain('2\n00:00:01,000 --> 00:00:01,900\nGoodbye <now>.\n')
  const vtt = await transcribe(TONES, { to: 'vtt' })
  expect(listStreams(vtt.bytes)).toEqual(['webvtt'])
  expect(`${vtt.bytes}`).toContain('Goodbye &lt;now>.')
  expect(`${(await transcribe(TONES, { to: 'txt' })).bytes}`).toBe('Good day.\nGoodbye <now>.\n')
  const json = JSON.parse(`${(await transcribe(TONES, { to: 'json', language: 'fr' })).bytes}`)
  expect(json).toMatchObject({ language: 'fr', durationSec: 2, segments: [{ text: 'Good day.' }, {}] })
})

test('sends long sound in parts that end in a pause', async () => {
  const pause = `-af volume=0:enable='between(t,570,571)' -c:a flac`
  const { segments, chargedMicros } = await transcribe(record('flac', `${sine(440, 605, 8000)} ${pause}`))
  expect(fake.asked).toHaveLength(2)
  expect(chargedMicros).toBe(11n * 8_000n)
  const cut = Number(describeRecording(fake.asked[0]!.sound).format.duration)
  expect(cut > 570 && cut < 571).toBe(true)
  expect(segments.map(({ start }) => start)).toEqual([0, 1, cut, cut + 1].map(at => expect.closeTo(at, 2)))
})

test('says if nothing is said, and if words have no times', async () => {
  fake.reply = () => ({ json: { text: '' } })
  expect(await transcribe(sample('tone.wav'))).toMatchObject({ text: '', segments: [], warnings: ['NO_SPEECH_FOUND'] })
  fake.reply = () => ({ json: { text: 'Hm.', segments: [{ start: 0, end: 0.3, text: 'Hm.' }] } })
  expect((await transcribe(TONES, { words: true })).warnings).toEqual(['NO_WORD_TIMES'])
})

test('refuses what has no sound or no such track', async () => {
  const silent = record('mp4', '-f lavfi -i color=s=16x16:d=0.2:r=5 -pix_fmt yuv420p')
  await expect(transcribe(silent)).rejects.toMatchObject({ code: 'NO_AUDIO_STREAM' })
  await expect(transcribe(TONES, { track: 3 })).rejects.toMatchObject({ code: 'TRACK_NOT_FOUND' })
  expect(fake.asked).toEqual([])
  fake.reply = () => ({ json: {}, status: 400 })
  await expect(transcribe(TONES)).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' })
})

test('is refused before a payment without a provider', async () => {
  await using stack = await openIdleStack()
  const customer = await stack.customer()
  const adapters = ['whisper.cpp', 'openai']
  const tools = [{ name: 'transcriber', lane: 'remote', ok: false, adapters }] as const
  const worker = { id: newId(), host: 'elsewhere', pid: 1, pools: [], lanes: { remote: 1 }, tools }
  await eventually(
    'the api to know',
    async () => {
      await joinWorkers(stack.db, worker)
      const { operations } = (await customer.get('/v1/capabilities')).body
      return operations['media.transcribe'].available === false
    },
    60_000,
  )
  const body = { file: { inline: TONES.toString('base64') } }
  for (const client of [customer, stack.anonymous]) {
    await joinWorkers(stack.db, worker)
    const { status, body: answer } = await client.post('/v1/media/transcribe', body)
    expect([status, answer]).toEqual([
      503,
      expect.objectContaining({ code: 'PROVIDER_NOT_CONFIGURED', tool: 'transcriber', adapters }),
    ])
  }
})
