import { Type } from 'typebox'
import { type Entry, Problem } from '#kit'
import { findNearest } from '../../../tasks/formats/words/nearest.ts'
import type { ApiContext } from '../../context.ts'
import { route } from '../../route.ts'
import { type SurfaceOptions, withNamedWildcards } from '../../surfaces/entries.ts'
import { renderCallText } from '../../surfaces/llms/call-text.ts'
import { renderFamilyText } from '../../surfaces/llms/family-text.ts'
import { getSurface, sendDocument } from './schema.ts'

const contentType = 'text/plain; charset=utf-8'

export default route({
  at: 'GET /llms/{page}',
  summary:
    'Get the description of one family, such as pdf.txt, or of one call, such as pdf.merge.txt, for language models.',
  keywords: 'documentation of one call as text',
  auth: ['none'],
  tool: false,
  params: Type.Object({ page: Type.String({ maxLength: 100, description: 'The name, with .txt or .md at its end.' }) }),
  reply: { status: 200, contentType },
  errors: ['NOT_FOUND'],
  handle: async (call, context) => {
    const name = call.params.page.replace(/\.(txt|md)$/, '')
    checkName(name, context)
    const page = await getSurface(context, `llms/${name}`, (entries, options) => ({
      contentType,
      text: renderPage(name, withNamedWildcards(entries), options),
    }))
    sendDocument(call, page, 60)
  },
})

function renderPage(name: string, entries: readonly Entry[], options: SurfaceOptions): string {
  const entry = entries.find(entry => entry.name === name)
  if (entry) return renderCallText(entry, options)
  return renderFamilyText(
    name,
    entries.filter(({ family }) => family === name),
    options,
  )
}

function checkName(name: string, { catalog: { entries } }: ApiContext): void {
  const known = [...new Set(entries.flatMap(entry => [entry.name, entry.family]))]
  if (known.includes(name)) return
  const near = findNearest(name, known)
  throw new Problem('NOT_FOUND', { ...(near && { didYouMean: `GET /llms/${near}.txt` }), documentation: '/llms.txt' })
}
