import { Type } from 'typebox'
import { Choice } from '#kit'
import { findTitles, TITLE_STYLES } from '../../../../engines/language/title.ts'
import { defineTask } from '../../define-task.ts'
import { buildPrompt, closed, NO_JSON, parseAnswer, warnIfFewer } from '../../prompt.ts'
import { task } from '../../task.ts'

const SCHEMA = closed({ titles: { type: 'array', items: { type: 'string' } } })

export const title = task({
  slug: 'title',
  summary: 'Give a text a title.',
  keywords: 'headline for an article, name a document, seo title, filename from content, subject line, heading',
  description:
    'The built-in engine uses the heading of the text, its best sentence cut to length or its best phrase, and no other words. ' +
    'It finds questions only where the text asks one.',
  params: Type.Object({
    maxLength: Type.Integer({ default: 70, minimum: 10, maximum: 200, description: 'In characters.' }),
    style: Choice(TITLE_STYLES, { default: 'headline' }),
    variants: Type.Integer({ default: 1, minimum: 1, maximum: 5 }),
  }),
  result: Type.Object({ title: Type.String(), variants: Type.Optional(Type.Array(Type.String())) }),
  embedded: {
    engine: 'svc-title-1',
    languages: 'any',
    run({ text, params: { maxLength, style, variants }, language }) {
      const options = { maxLength, count: variants, language }
      const found = findTitles(text, { ...options, style })
      if (found.length > 0) return describe(found, variants)
      const instead = findTitles(text, { ...options, style: 'headline' })
      const message = `The text has no title of the style ${style}; it is a headline.`
      const titles = instead.length > 0 ? instead : [[...text.trim()].slice(0, maxLength).join('')]
      const { result, warnings } = describe(titles, variants)
      return { result, warnings: [{ code: 'STYLE_NOT_FOUND', message }, ...warnings] }
    },
  },
  model: {
    rounds: 1,
    maxOutputTokens: (_bytes, { maxLength, variants }) => Math.ceil((maxLength / 2) * variants) + 100,
    prompt: ({ text, params: { maxLength, style, variants } }) =>
      buildPrompt(
        `You give texts titles: ${variants} of the style ${style}, each of at most ${maxLength} characters, in the language of the text.`,
        {},
        text,
        SCHEMA,
      ),
    read(answer, { params: { maxLength, variants } }) {
      const { titles } = (parseAnswer(answer) ?? {}) as { titles?: unknown }
      if (!Array.isArray(titles)) return NO_JSON
      const fitting = titles.filter(one => typeof one === 'string' && one.trim() !== '' && [...one].length <= maxLength)
      if (fitting.length === 0) return { fault: `No title has at most ${maxLength} characters.` }
      return describe([...new Set(fitting as string[])], variants)
    },
  },
  examples: [
    {
      title: 'The heading of a document',
      input: { input: '# Tides of the North Sea\n\nThe tides of the North Sea come twice a day.', method: 'embedded' },
      answer: { result: { title: 'Tides of the North Sea' } },
    },
  ],
})

function describe(titles: readonly string[], variants: number) {
  const result = { title: titles[0]!, ...(variants > 1 && { variants: titles.slice(0, variants) }) }
  return { result, warnings: warnIfFewer(titles.length, variants) }
}

export default defineTask(title)
