import { route } from '../../route.ts'
import { getClientPackages } from '../../surfaces/sdk/keep.ts'

const contentType = 'text/plain; charset=utf-8'

export default route({
  at: 'GET /sdk.txt',
  summary: 'Get the address of the Python client of this service, as one line that pip takes.',
  keywords: 'sdk, client library, python, pip install',
  auth: ['none'],
  tool: false,
  reply: { status: 200, contentType },
  errors: [],
  handle: async ({ reply }, context) => {
    const { wheelPath } = await getClientPackages(context)
    reply.header('cache-control', 'public, max-age=60')
    return `${context.config.publicUrl}${wheelPath}\n`
  },
})
