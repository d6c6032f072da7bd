import type { Entry } from '#kit'
import { route } from '../../route.ts'
import type { SurfaceOptions } from '../../surfaces/entries.ts'
import { renderOverview } from '../../surfaces/llms/overview.ts'
import { getSurface, sendDocument } from './schema.ts'

const contentType = 'text/plain; charset=utf-8'
const build = (entries: readonly Entry[], options: SurfaceOptions) => ({
  contentType,
  text: renderOverview(entries, options),
})

export default route({
  at: 'GET /llms.txt',
  summary: 'Get the short description of the service for language models.',
  keywords: 'overview for agents, short introduction',
  auth: ['none'],
  tool: false,
  reply: { status: 200, contentType },
  errors: [],
  handle: async (call, context) => {
    sendDocument(call, await getSurface(context, 'llms.txt', build), 60)
  },
})
