import type { TranslationService } from '../contract.ts'

const VARIANTS: Record<string, string> = { zh: 'zh-Hans', sr: 'sr-Cyrl', mn: 'mn-Cyrl' }

export const AZURE: TranslationService = {
  markup: 'html',
  hasFormality: false,
  maxChars: 30_000,
  maxTexts: 100,
  describe: ({ texts, to, from }, { apiKey, region }) => ({
    path: '/translate',
    query: { 'api-version': '3.0', to: VARIANTS[to] ?? to, from, textType: 'html' },
    headers: {
      'ocp-apim-subscription-key': apiKey ?? '',
      ...(region !== undefined && { 'ocp-apim-subscription-region': region }),
    },
    json: texts.map(Text => ({ Text })),
  }),
  read(answer) {
    const all = answer as { detectedLanguage?: { language: string }; translations: { text: string }[] }[]
    return {
      texts: all.map(({ translations }) => translations[0]!.text),
      detectedSource: all[0]?.detectedLanguage?.language.toLowerCase() ?? null,
    }
  },
}
