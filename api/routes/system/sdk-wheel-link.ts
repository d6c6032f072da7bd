import { route } from '../../route.ts'
import { getClientPackages } from '../../surfaces/sdk/keep.ts'
import { sendDocument } from './schema.ts'

export default route({
  at: 'GET /sdk.whl',
  summary: 'Download the Python client of this service as a wheel.',
  keywords: 'sdk, client library, python, pip install, wheel',
  description: 'pip reads the version of a wheel from its address: give it what GET /sdk.txt answers.',
  auth: ['none'],
  tool: false,
  reply: { status: 200, contentType: 'application/zip' },
  errors: [],
  handle: async (call, context) => {
    const { wheelPath, wheel } = await getClientPackages(context)
    call.reply.header('content-disposition', `attachment; filename="${wheelPath.split('/').at(-1)}"`)
    sendDocument(call, wheel, 60)
  },
})
