import type { Entry } from '#kit'
import { route } from '../../route.ts'
import { llmsFull } from '../../surfaces/llms.ts'
import type { SurfaceOptions } from '../../surfaces/surface.ts'
import { sendDocument, surfaceOf } from './document-shape.ts'

const contentType = 'text/plain; charset=utf-8'
const make = (entries: readonly Entry[], options: SurfaceOptions) => ({ contentType, text: llmsFull(entries, options) })

export default route({
  at: 'GET /llms-full.txt',
  summary: 'The service for language models, with every field, price, refusal and example.',
  auth: ['none'],
  reply: { status: 200, contentType },
  errors: [],
  handle: async (asked, floor) => {
    sendDocument(asked, await surfaceOf(floor, make), 60)
  },
})
