import { Type } from 'typebox'
import { Choice, Problem } from '#kit'
import { maskPlaceholders, maskTerms, openUnmasking, unmask } from '../../../../engines/language/placeholders.ts'
import { defineTask } from '../../define-task.ts'
import { buildPrompt, readText, tokensLike } from '../../prompt.ts'
import { task } from '../../task.ts'

const LANGUAGE = '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$'

export const translate = task({
  slug: 'translate',
  summary: 'Translate a text or a document.',
  keywords: 'translation, localize, localise, i18n, into english, into german, language, multilingual, glossary',
  description:
    'Needs a language model or a translation service; where both are configured, the service answers, but for the tier `best` and ' +
    'for what it cannot do. Placeholders such as {{name}}, %s and tags are taken out and put back; an answer in which one is missing ' +
    'is refused. With a service, words of the glossary are replaced as they are.',
  params: Type.Object({
    to: Type.String({ pattern: LANGUAGE, description: 'Such as de or pt-BR.' }),
    from: Type.Optional(Type.String({ pattern: LANGUAGE, description: 'Left out: found by the text.' })),
    formality: Choice(['default', 'formal', 'informal'], { default: 'default' }),
    glossary: Type.Array(
      Type.Object({
        source: Type.String({ minLength: 1, maxLength: 200 }),
        target: Type.String({ minLength: 1, maxLength: 200 }),
      }),
      { default: [], maxItems: 200 },
    ),
    preserveMarkup: Type.Boolean({ default: true, description: 'Keep placeholders and tags as they are.' }),
    domain: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Such as medicine or law.' })),
  }),
  result: Type.Object({ text: Type.String(), detectedSource: Type.Union([Type.String(), Type.Null()]) }),
  model: {
    rounds: 1,
    maxOutputTokens: bytes => tokensLike(bytes, 2),
    prompt({ text, params: { to, from, preserveMarkup, formality, glossary, domain } }) {
      const job = `You translate texts into ${to}. Keep line breaks${preserveMarkup ? ', and marks such as ⟦0⟧ exactly as they are, each where it belongs' : ''}. Use the translations of "glossary".`
      const options = { from, to, glossary, domain, formality: formality === 'default' ? undefined : formality }
      return buildPrompt(job, options, preserveMarkup ? maskPlaceholders(text).masked : text)
    },
    read(answer, { text, params: { from, preserveMarkup }, language }) {
      const read = readText(answer)
      if ('fault' in read) return read
      const restored = preserveMarkup
        ? unmask(read.result.text, maskPlaceholders(text).placeholders)
        : { text: read.result.text }
      if ('missing' in restored) return { fault: `Marks are missing or doubled: ${restored.missing.join(' ')}` }
      return { result: { text: restored.text, detectedSource: from ?? language ?? null } }
    },
    openPieces: ({ text, params: { preserveMarkup } }) =>
      preserveMarkup ? openUnmasking(maskPlaceholders(text).placeholders) : piece => piece,
  },
  service: {
    tool: 'translator',
    adapters: ['deepl', 'google', 'azure', 'libretranslate'],
    findLack: ({ formality, domain }, { hasFormality }) =>
      domain !== undefined ? 'domain' : formality !== 'default' && !hasFormality ? 'formality' : undefined,
    async run({ text, params: { to, from, preserveMarkup, formality, glossary } }, { translator }) {
      const plain = preserveMarkup ? maskPlaceholders(text) : { masked: text, placeholders: [] }
      const { masked, placeholders } = maskTerms(plain, glossary)
      const translated = await translator.translate({ text: masked, to, from, formality })
      const restored = unmask(translated.text, placeholders)
      if ('missing' in restored)
        throw new Problem('OUTPUT_INVALID', { detail: `Marks are missing or doubled: ${restored.missing.join(' ')}` })
      return { result: { text: restored.text, detectedSource: from ?? translated.detectedSource } }
    },
  },
  examples: [{ title: 'Into German', input: { input: 'Good morning, {{name}}!', params: { to: 'de' } } }],
})

export default defineTask(translate)
