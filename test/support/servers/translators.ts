import type { TranslationConfig, TranslationProvider } from '../../../ops/providers/translation/settings.ts'
import { openLocalServer } from './local.ts'

export interface AskedTranslation {
  path: string
  headers: Record<string, unknown>
  // biome-ignore lint/suspicious/noExplicitAny: each test reads the fields that it expects of its service.
  body: any
  texts: string[]
}

/** Answers as the translation services do: each letter outside of tags becomes a capital. */
export interface FakeTranslators extends AsyncDisposable {
  url: string
  asked: AskedTranslation[]
  /** What it answers instead. */
  reply: ((asked: AskedTranslation) => object | undefined) | undefined
  config(provider: TranslationProvider, more?: Partial<TranslationConfig>): TranslationConfig
}

export const TRANSLATION_KEY = 'key-of-the-tests'

export async function openFakeTranslators(): Promise<FakeTranslators> {
  const asked: AskedTranslation[] = []
  const server = await openLocalServer(({ path, headers, body: text }) => {
    const body = JSON.parse(text)
    const one = { path, headers, body, texts: readTexts(body) }
    asked.push(one)
    return fake.reply?.(one) ?? answer(one)
  })
  const fake: FakeTranslators = {
    ...{ url: server.url, asked, reply: undefined },
    config: (provider, more) => ({
      ...{ provider, url: server.url, apiKey: TRANSLATION_KEY, region: undefined, usdPerMillion: 20, markupPct: 20 },
      ...more,
    }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
  return fake
}

function readTexts(body: { text?: string[]; q?: string[] } | { Text: string }[]): string[] {
  return Array.isArray(body) ? body.map(({ Text }) => Text) : (body.text ?? body.q ?? [])
}

function answer({ path, texts }: AskedTranslation): object {
  const translated = texts.map(text =>
    text.replaceAll(/(<[^>]*>|&\w+;)|\p{L}/gu, (found, tag) => tag ?? found.toUpperCase()),
  )
  if (path.startsWith('/v2/translate'))
    return { translations: translated.map(text => ({ text, detected_source_language: 'EN' })) }
  if (path.startsWith('/language/translate/v2'))
    return {
      data: { translations: translated.map(translatedText => ({ translatedText, detectedSourceLanguage: 'en' })) },
    }
  if (path.startsWith('/translate?'))
    return {
      list: translated.map(text => ({
        detectedLanguage: { language: 'en', score: 1 },
        translations: [{ text, to: 'de' }],
      })),
    }
  return { translatedText: translated, detectedLanguage: translated.map(() => ({ language: 'en', confidence: 90 })) }
}
