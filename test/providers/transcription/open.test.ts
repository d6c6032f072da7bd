import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { CountedCall } from '../../../ops/providers/counted-call.ts'
import type { SpeechRequest } from '../../../ops/providers/transcription/contract.ts'
import { openTranscriber } from '../../../ops/providers/transcription/open.ts'
import type { TranscriptionConfig } from '../../../ops/providers/transcription/settings.ts'
import { joinSpeech, wrapWav } from '../../../tasks/formats/media/speech.ts'
import {
  type FakeTranscriber,
  OPENAI_ANSWER,
  openFakeTranscriber,
  WHISPER_ANSWER,
} from '../../support/servers/transcribers.ts'

let fake: FakeTranscriber
const calls: CountedCall[] = []
beforeAll(async () => {
  fake = await openFakeTranscriber()
})
afterAll(() => fake[Symbol.asyncDispose]())
beforeEach(() => {
  fake.asked.length = 0
  calls.length = 0
})

type Reply = ReturnType<FakeTranscriber['reply']>

function ask(
  provider: TranscriptionConfig['provider'],
  replies: readonly Reply[],
  { limitSeconds = 60, ...more }: Partial<SpeechRequest> & { limitSeconds?: number } = {},
) {
  let at = 0
  fake.reply = () => replies[Math.min(at++, replies.length - 1)]!
  const transcriber = openTranscriber(fake.config(provider), { onCall: call => calls.push(call) })!
  const limits = { signal: new AbortController().signal, deadlineMs: performance.now() + limitSeconds * 1000 }
  return transcriber.transcribe({ wav: wrapWav(new Uint8Array(64_000)), seconds: 2, words: true, ...more }, limits)
}

test('asks the server of whisper.cpp, and joins its tokens to words', async () => {
  expect(await ask('whisper.cpp', [{ json: WHISPER_ANSWER }])).toEqual({
    language: 'de',
    segments: [
      {
        ...{ start: 0, end: 0.9, text: 'Guten Tag.' },
        words: [
          { start: 0, end: 0.4, word: 'Guten' },
          { start: 0.5, end: 0.9, word: 'Tag.' },
        ],
      },
      { start: 1, end: 2, text: 'Auf Wiedersehen' },
    ],
  })
  const [{ path, authorization, fields, sound }] = fake.asked as [(typeof fake.asked)[0]]
  expect([path, authorization, sound.length]).toEqual(['/inference', undefined, 64_044])
  expect(Object.fromEntries(fields)).toEqual({ response_format: 'verbose_json', temperature: '0', language: 'auto' })
  expect(calls).toMatchObject([{ provider: 'whisper.cpp', isOk: true }])
})

test('asks as OpenAI does, and gives each segment its words', async () => {
  const speech = await ask('openai', [{ json: OPENAI_ANSWER }], { language: 'en' })
  expect(speech.language).toBe('en')
  expect(speech.segments.map(({ words }) => words?.map(({ word }) => word))).toEqual([
    ['Good', 'day'],
    ['Goodbye', 'now'],
  ])
  expect(fake.asked[0]).toMatchObject({
    path: '/v1/audio/transcriptions',
    authorization: 'Bearer key-of-the-tests',
    fields: [
      ['model', 'whisper-1'],
      ['response_format', 'verbose_json'],
      ['timestamp_granularities[]', 'segment'],
      ['timestamp_granularities[]', 'word'],
      ['language', 'en'],
    ],
  })
  const plain = await ask('openai', [{ json: OPENAI_ANSWER }], { words: false })
  expect(plain.segments[0]).toEqual({ start: 0, end: 0.9, text: 'Good day.' })
  expect(fake.asked[1]!.fields.map(([, value]) => value)).not.toContain('word')
})

test('trusts no times and no texts of an answer', async () => {
  const segments = [
    null,
    { start: 'now', end: 1, text: 'no' },
    { start: -5, end: 99, text: '  one\n two ' },
    { start: 1.5, end: 0.2, text: 'back', words: [{ word: 'ba', start: 1.5, end: 1.6 }, { word: '\uFFFD' }, 7] },
    { start: 1, end: 1.8, text: 'late' },
    { start: 3, end: 4, text: 'beyond' },
    { start: 1.8, end: 1.9, text: ' ' },
  ]
  const { language, segments: read } = await ask('openai', [{ json: { language: 7, segments, words: 'none' } }])
  expect(language).toBeUndefined()
  expect(read).toEqual([
    { start: 0, end: 2, text: 'one two' },
    { start: 1.5, end: 1.6, text: 'back' },
    { start: 1.5, end: 1.8, text: 'late' },
  ])
  expect(await ask('whisper.cpp', [{ json: { text: '', language: 'klingon' } }])).toEqual({ segments: [] })
})

test('joins texts as their scripts are written', () => {
  expect(joinSpeech(['One.', 'Two', '你好。', '世界', '한국', '어'])).toBe('One. Two 你好。世界 한국 어')
})

test.each<[situation: string, replies: Reply[], hints: object]>([
  ['is broken', [{ raw: '{"text":' }], { reason: 'its answer is not JSON' }],
  ['is empty', [{ raw: '' }], {}],
  ['is cut off', [{ isCutOff: true }], {}],
  ['has no text', [{ json: { error: 'failed to process audio' } }], { detail: 'the answer has no text' }],
  ['is null', [{ json: null }], { detail: 'the answer has no text' }],
  ['has no times', [{ json: { text: 'Hello.' } }], { capability: 'transcription' }],
  ['is a refusal', [{ status: 400, json: { error: { message: 'bad file' } } }], { providerStatus: 400 }],
  ['refuses the key', [{ status: 401, json: {} }], { providerStatus: 401 }],
  ['asks to wait too long', [{ status: 429, json: {}, headers: { 'retry-after': '3000' } }], { providerStatus: 429 }],
  ['does not come', [{ isSilent: true }], { isLate: true }],
])('tells callers that the provider is unavailable if its answer %s', async (_situation, replies, hints) => {
  // Only what never comes is waited for.
  const limitSeconds = replies.some(reply => 'isSilent' in reply) ? 0.4 : 30
  const asking = ask('openai', replies, { limitSeconds })
  await expect(asking).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE', hints })
  expect(calls).toMatchObject([{ isOk: false }])
})

test('asks again after what may pass', async () => {
  const busy = { status: 429, json: {}, headers: { 'retry-after': '0' } }
  const speech = await ask('openai', [busy, busy, { json: OPENAI_ANSWER }])
  expect([speech.segments.length, fake.asked.length]).toEqual([2, 3])
})

test('tells which language the provider does not know', async () => {
  const refusal = { status: 400, json: { error: { message: "Language 'bo' is not supported" } } }
  const asking = ask('openai', [refusal], { language: 'bo' })
  await expect(asking).rejects.toMatchObject({ code: 'INVALID_PARAM', hints: { field: 'language' } })
})
