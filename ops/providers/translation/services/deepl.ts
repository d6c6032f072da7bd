import type { TranslationService } from '../contract.ts'

/** Targets for which DeepL wants a variant. */
const VARIANTS: Record<string, string> = { EN: 'EN-US', PT: 'PT-PT', ZH: 'ZH-HANS' }
const FORMALITY = { formal: 'prefer_more', informal: 'prefer_less', default: undefined }

export const DEEPL: TranslationService = {
  markup: 'xml',
  hasFormality: true,
  maxChars: 30_000,
  maxTexts: 50,
  describe({ texts, to, from, formality }, { apiKey }) {
    const target = to.toUpperCase()
    return {
      path: '/v2/translate',
      headers: { authorization: `DeepL-Auth-Key ${apiKey}` },
      json: {
        text: texts,
        target_lang: VARIANTS[target] ?? target,
        ...(from !== undefined && { source_lang: from.split('-')[0]!.toUpperCase() }),
        ...(FORMALITY[formality] !== undefined && { formality: FORMALITY[formality] }),
        ...{ tag_handling: 'xml', ignore_tags: ['x'], split_sentences: '1', preserve_formatting: true },
      },
    }
  },
  read(answer) {
    const { translations } = answer as { translations: { text: string; detected_source_language?: string }[] }
    return {
      texts: translations.map(({ text }) => text),
      detectedSource: translations[0]?.detected_source_language?.toLowerCase() ?? null,
    }
  },
}
