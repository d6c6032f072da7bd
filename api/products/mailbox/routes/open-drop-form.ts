import { Problem } from '#kit'
import { wantsPage } from '../../../pages/unknown-path.ts'
import { route } from '../../../route.ts'
import { DropToken } from '../schema.ts'

export default route({
  at: 'GET /api/mailbox/{drop_token}/drop',
  summary: 'Lead a person who opens the drop URL of a mailbox to its form; programs are told to POST.',
  auth: ['none'],
  params: DropToken,
  reply: { status: 303 },
  errors: ['METHOD_NOT_ALLOWED'],
  hidden: true,
  handle({ params, request, reply }) {
    reply.header('vary', 'Accept')
    if (!wantsPage(request)) throw new Problem('METHOD_NOT_ALLOWED', { allowed: ['POST'] })
    reply.redirect(`/mailbox/${encodeURIComponent(params.drop_token)}`, 303)
  },
})
