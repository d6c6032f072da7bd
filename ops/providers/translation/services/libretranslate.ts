import type { TranslationService } from '../contract.ts'

export const LIBRETRANSLATE: TranslationService = {
  markup: 'plain',
  hasFormality: false,
  maxChars: 5_000,
  maxTexts: 20,
  describe: ({ texts, to, from }, { apiKey }) => ({
    path: '/translate',
    json: {
      ...{ q: texts, target: to, source: from?.split('-')[0] ?? 'auto', format: 'text' },
      ...(apiKey !== undefined && { api_key: apiKey }),
    },
  }),
  read(answer) {
    const { translatedText, detectedLanguage } = answer as {
      translatedText: string[]
      detectedLanguage?: { language: string }[]
    }
    return { texts: translatedText, detectedSource: detectedLanguage?.[0]?.language.toLowerCase() ?? null }
  },
}
