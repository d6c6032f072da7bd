import { Type } from 'typebox'
import { route } from '../../route.ts'
import { CHANGELOG } from '../../surfaces/changelog.ts'
import { prepareDocument, sendDocument } from './schema.ts'

const document = prepareDocument('application/json; charset=utf-8', JSON.stringify({ releases: CHANGELOG }))

const Change = Type.Object({
  kind: Type.String({ description: 'Added, Changed, Deprecated, Removed, Fixed or Security.' }),
  text: Type.String({ description: 'Markdown.' }),
})
const Release = Type.Object({
  version: Type.String(),
  date: Type.Optional(Type.String({ description: 'Left out of what is not released yet.' })),
  summary: Type.Optional(Type.String()),
  changes: Type.Array(Change),
})

export default route({
  at: 'GET /v1/changelog',
  summary: 'List what changed in each release, the newest first.',
  keywords: 'release notes, what is new, versions, updates, history of the service',
  auth: ['none'],
  reply: { status: 200, schema: Type.Object({ releases: Type.Array(Release) }) },
  errors: [],
  handle: async call => {
    sendDocument(call, await document, 300)
  },
})
