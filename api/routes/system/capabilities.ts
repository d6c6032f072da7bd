import { Type } from 'typebox'
import { LANES } from '#kit'
import { route } from '../../route.ts'
import { capabilities } from '../../surfaces/capabilities.ts'

const Missing = Type.Object({ tool: Type.String(), install: Type.Optional(Type.String()) })
const Tool = Type.Object({
  tool: Type.String(),
  lane: Type.String({ enum: [...LANES] }),
  available: Type.Boolean(),
  version: Type.Optional(Type.String()),
  install: Type.Optional(Type.String({ description: 'One line that installs it.' })),
})
const Operation = Type.Object({ available: Type.Boolean(), missing: Type.Optional(Type.Array(Missing)) })

export default route({
  at: 'GET /v1/capabilities',
  summary: 'Which operations can run here, and what is missing where one cannot.',
  auth: ['none'],
  reply: {
    status: 200,
    schema: Type.Object({ operations: Type.Record(Type.String(), Operation), tools: Type.Array(Tool) }),
  },
  errors: [],
  handle: ({ reply }, { availability, catalog }) => {
    reply.header('cache-control', 'public, max-age=5')
    return capabilities(catalog.entries, availability.tools())
  },
})
