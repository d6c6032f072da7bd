import type { Entry } from '#kit'
import { route } from '../../route.ts'
import type { SurfaceOptions } from '../../surfaces/entries.ts'
import { renderFullText } from '../../surfaces/llms/full-text.ts'
import { getSurface, sendDocument } from './schema.ts'

const contentType = 'text/plain; charset=utf-8'
const build = (entries: readonly Entry[], options: SurfaceOptions) => ({
  contentType,
  text: renderFullText(entries, options),
})

export default route({
  at: 'GET /llms-full.txt',
  summary: 'Get the description of the service for language models, with every field, price, error and example.',
  keywords: 'complete documentation as text',
  auth: ['none'],
  tool: false,
  reply: { status: 200, contentType },
  errors: [],
  handle: async (call, context) => {
    sendDocument(call, await getSurface(context, 'llms-full.txt', build), 60)
  },
})
