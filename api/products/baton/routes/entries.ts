import { route } from '../../../route.ts'
import {
  BatonRef,
  EntriesReply,
  FilterQuery,
  listNew,
  READER_AUTH,
  readFilter,
  showEntries,
  USE_ERRORS,
} from '../fields/access.ts'
import { identifyVisitor } from '../visitor.ts'

export default route({
  at: 'GET /v1/baton/{id}/entries',
  summary: 'List the entries of a baton, oldest first, with the content of small ones.',
  keywords: 'read a log line by line, history of a log, list lines, messages of a shared log',
  description: 'A page with entries counts as one read; the content in it is drawn from the egress quota.',
  auth: READER_AUTH,
  params: BatonRef,
  query: FilterQuery,
  reply: { status: 200, schema: EntriesReply },
  errors: [...USE_ERRORS, 'PRESET_MISMATCH', 'QUOTA_EXHAUSTED', 'RATE_LIMITED'],

  async handle({ caller, params, query, request }, context) {
    const by = identifyVisitor(context, { caller, params, request })
    return showEntries(await listNew(context, by, readFilter(query)))
  },
})
