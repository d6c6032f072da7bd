import type { TranslationService } from '../contract.ts'

/** The basic edition (v2), which takes a key. */
export const GOOGLE: TranslationService = {
  markup: 'html',
  hasFormality: false,
  maxChars: 5_000,
  maxTexts: 100,
  describe: ({ texts, to, from }, { apiKey }) => ({
    path: '/language/translate/v2',
    headers: { 'x-goog-api-key': apiKey ?? '' },
    json: { q: texts, target: to, format: 'html', ...(from !== undefined && { source: from }) },
  }),
  read(answer) {
    const { data } = answer as {
      data: { translations: { translatedText: string; detectedSourceLanguage?: string }[] }
    }
    return {
      texts: data.translations.map(({ translatedText }) => translatedText),
      detectedSource: data.translations[0]?.detectedSourceLanguage?.toLowerCase() ?? null,
    }
  },
}
