import { Type } from 'typebox'
import { Problem } from '#kit'
import { route } from '../../route.ts'
import { getClientPackages } from '../../surfaces/sdk/keep.ts'
import { sendDocument } from './schema.ts'

export default route({
  at: 'GET /sdk/{wheel}',
  summary: 'Get the Python client of this service as a wheel, by the name that GET /sdk.txt answers.',
  keywords: 'sdk, client library, python, pip install, wheel by version',
  auth: ['none'],
  tool: false,
  params: Type.Object({ wheel: Type.String({ maxLength: 100, description: 'Its file name, with its version.' }) }),
  reply: { status: 200, contentType: 'application/zip' },
  errors: ['NOT_FOUND'],
  handle: async (call, context) => {
    const { wheelPath, wheel } = await getClientPackages(context)
    // An older name cannot have the newer content: pip compares the two versions.
    if (`/sdk/${call.params.wheel}` !== wheelPath) {
      throw new Problem('NOT_FOUND', { current: context.config.publicUrl + wheelPath })
    }
    sendDocument(call, wheel, 60)
  },
})
