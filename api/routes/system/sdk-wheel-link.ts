import { route } from '../../route.ts'
import { getClientPackages } from '../../surfaces/sdk/keep.ts'

export default route({
  at: 'GET /sdk.whl',
  summary: 'Get the Python client of this service: redirects to the wheel of the current version.',
  keywords: 'sdk, client library, python, pip install, wheel',
  description:
    'pip reads the version of a wheel from its address, before it follows any redirect: give it what GET /sdk.txt answers.',
  auth: ['none'],
  tool: false,
  reply: { status: 302 },
  errors: [],
  handle: async ({ reply }, context) => {
    const { wheelPath } = await getClientPackages(context)
    reply.header('cache-control', 'public, max-age=60').redirect(context.config.publicUrl + wheelPath, 302)
  },
})
