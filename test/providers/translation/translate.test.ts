import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { loadConfig } from '../../../ops/config.ts'
import type { CountedCall } from '../../../ops/providers/counted-call.ts'
import type { TranslationRequest } from '../../../ops/providers/translation/contract.ts'
import { openTranslator } from '../../../ops/providers/translation/open.ts'
import { TRANSLATION_PROVIDERS, type TranslationProvider } from '../../../ops/providers/translation/settings.ts'
import { type FakeTranslators, openFakeTranslators, TRANSLATION_KEY } from '../../support/servers/translators.ts'

let fake: FakeTranslators
const calls: CountedCall[] = []
beforeAll(async () => {
  fake = await openFakeTranslators()
})
afterAll(() => fake[Symbol.asyncDispose]())
beforeEach(() => {
  fake.asked.length = 0
  fake.reply = undefined
  calls.length = 0
})

function translate(provider: TranslationProvider, text: string, more: Partial<TranslationRequest> = {}) {
  const translator = openTranslator(fake.config(provider), { onCall: call => calls.push(call) })!
  const limits = { signal: new AbortController().signal, deadlineMs: performance.now() + 20_000 }
  return translator.translate({ text, to: 'de', formality: 'default', ...more }, limits)
}

const TEXT = 'Hello ⟦0⟧,\nyou & I have <3 "friends".\n\n  Second — paragraph ⟦1⟧.\n'

test.each(TRANSLATION_PROVIDERS)(
  '%s translates paragraph by paragraph, and leaves marks, signs and lines alone',
  async provider => {
    const translation = await translate(provider, TEXT)
    expect(translation).toEqual({ text: TEXT.toUpperCase(), detectedSource: 'en' })
    expect(fake.asked).toHaveLength(1)
    expect(fake.asked[0]!.texts).toHaveLength(2)
    expect(calls).toMatchObject([{ provider, isOk: true, costMicros: expect.any(Number) }])
  },
)

test('each service is asked in its own way', async () => {
  await translate('deepl', 'a ⟦0⟧ & b', { from: 'en-GB', formality: 'formal' })
  await translate('google', 'a ⟦0⟧ & b', { from: 'en', to: 'pt-BR' })
  await translate('azure', 'a', { to: 'zh' })
  await translate('libretranslate', 'a', { from: 'en-GB' })
  const [deepl, google, azure, libre] = fake.asked
  expect(deepl).toMatchObject({
    ...{ path: '/v2/translate', headers: { authorization: `DeepL-Auth-Key ${TRANSLATION_KEY}` } },
    body: {
      text: ['a <x id="0"/> &amp; b'],
      target_lang: 'DE',
      source_lang: 'EN',
      formality: 'prefer_more',
      ignore_tags: ['x'],
    },
  })
  expect(google).toMatchObject({
    ...{ path: '/language/translate/v2', headers: { 'x-goog-api-key': TRANSLATION_KEY } },
    body: {
      q: ['a <span translate="no" class="notranslate">⟦0⟧</span> &amp; b'],
      target: 'pt-BR',
      source: 'en',
      format: 'html',
    },
  })
  expect(azure).toMatchObject({ headers: { 'ocp-apim-subscription-key': TRANSLATION_KEY }, body: [{ Text: 'a' }] })
  expect(Object.fromEntries(new URL(azure!.path, 'http://x').searchParams)).toEqual({
    ...{ 'api-version': '3.0', to: 'zh-Hans', textType: 'html' },
  })
  expect(libre).toMatchObject({
    path: '/translate',
    body: { q: ['a'], source: 'en', target: 'de', api_key: TRANSLATION_KEY },
  })
})

test.each(TRANSLATION_PROVIDERS)(
  '%s gets a long text in calls that it takes, and nothing of it is lost',
  async provider => {
    const text = Array.from(
      { length: 300 },
      (_, at) => `Line ${at}: ${'some words '.repeat(at % 40)}\n${at % 3 === 0 ? '\n' : ''}`,
    ).join('')
    const { text: translated } = await translate(provider, `${text}${'x'.repeat(40_000)}`)
    expect(translated).toBe(`${text}${'x'.repeat(40_000)}`.toUpperCase())
    expect(fake.asked.length).toBeGreaterThan(1)
    for (const { texts } of fake.asked) {
      expect(texts.length).toBeLessThanOrEqual(100)
      expect(texts.join('').length).toBeLessThanOrEqual(30_000)
    }
  },
)

test.each([
  [
    'a language that it does not know',
    { status: 400, message: "Value for 'target_lang' not supported." },
    'LANGUAGE_UNSUPPORTED',
  ],
  ['its quota that is used up', { status: 456, message: 'Quota Exceeded' }, 'PROVIDER_UNAVAILABLE'],
  ['a key that it does not know', { status: 403, message: `no ${TRANSLATION_KEY}` }, 'PROVIDER_UNAVAILABLE'],
  ['an answer of another form', { translation: 'x' }, 'PROVIDER_UNAVAILABLE'],
  ['fewer answers than texts', { translations: [] }, 'PROVIDER_UNAVAILABLE'],
  ['an answer that is no text', { translations: [{ text: 7 }] }, 'PROVIDER_UNAVAILABLE'],
])('a service that answers with %s fails as what it is', async (_, reply, code) => {
  fake.reply = () => reply
  const problem = await translate('deepl', 'hello', { to: 'xx' }).catch((error: unknown) => error)
  expect(problem).toMatchObject({ code })
  expect(JSON.stringify((problem as { toBody(): object }).toBody())).not.toContain(TRANSLATION_KEY)
  expect(calls.at(-1)).toMatchObject({ isOk: false, costMicros: 0 })
})

test('a service is configured with its price, at its own address unless another is named', () => {
  const own = (env: Record<string, string>) => loadConfig({ SECRET: 'a secret of the tests alone', ...env }).translation
  const deepl = { TRANSLATION_PROVIDER: 'deepl', TRANSLATION_USD_PER_MILLION: '25' }
  expect(own({ ...deepl, TRANSLATION_API_KEY: 'k' })).toMatchObject({ url: 'https://api.deepl.com', usdPerMillion: 25 })
  expect(own({ ...deepl, TRANSLATION_API_KEY: 'k:fx' })).toMatchObject({ url: 'https://api-free.deepl.com' })
  expect(own({ ...deepl, TRANSLATION_URL: 'http://127.0.0.1:1/' })).toMatchObject({ url: 'http://127.0.0.1:1' })
  expect(() => own({ TRANSLATION_PROVIDER: 'deepl' })).toThrow(/TRANSLATION_USD_PER_MILLION must be set/)
  expect(() => own({ TRANSLATION_API_KEY: 'k' })).toThrow(/TRANSLATION_PROVIDER must be set/)
  expect(() => own({ TRANSLATION_PROVIDER: 'libretranslate', TRANSLATION_USD_PER_MILLION: '0' })).toThrow(
    /TRANSLATION_URL/,
  )
})
