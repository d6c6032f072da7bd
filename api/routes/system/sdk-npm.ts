import { route } from '../../route.ts'
import { getClientPackages } from '../../surfaces/sdk/keep.ts'
import { sendDocument } from './schema.ts'

export default route({
  at: 'GET /sdk.tgz',
  summary: 'Get the TypeScript client of this service as a package for npm, with its command line.',
  keywords: 'sdk, client library, typescript, javascript, npm install, node, browser',
  description: 'It has a typed call for everything that this service offers: `npm install` takes its address.',
  auth: ['none'],
  tool: false,
  reply: { status: 200, contentType: 'application/gzip' },
  errors: [],
  handle: async (call, context) => {
    sendDocument(call, (await getClientPackages(context)).npm, 60)
  },
})
