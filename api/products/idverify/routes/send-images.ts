import { Type } from 'typebox'
import { Problem } from '#kit'
import { readSession } from '../../../../sql/idverify/sessions.ts'
import { decodeBase64 } from '../../../intake/body/base64.ts'
import { route } from '../../../route.ts'
import { SESSION_ERRORS, SessionHeaders, SessionParam, SessionReply } from '../schema.ts'
import { listSides, showSession, submit } from '../session.ts'
import { readLink, readSession as readMark } from '../visitor.ts'

const Base64 = Type.Optional(Type.String({ minLength: 1, description: 'Base64 of a JPEG, PNG, WebP or HEIC.' }))

export default route({
  at: 'POST /v1/idverify/session/{token}/images',
  summary: 'Send the images of a person who is verified, from a page or an app of your own.',
  keywords: 'upload id photo, send selfie, mobile app kyc',
  description:
    '`sides` of the session says which. They are read in the background; read the session until `reading` is false.',
  auth: ['none'],
  params: SessionParam,
  headers: SessionHeaders,
  body: Type.Object({ front: Base64, back: Base64, selfie: Base64 }, { additionalProperties: false }),
  reply: { status: 200, schema: SessionReply },
  errors: [
    ...SESSION_ERRORS,
    ...(['VERIFICATION_TERMINAL', 'IMAGES_NOT_EXPECTED', 'INPUT_EMPTY', 'INPUT_TOO_LARGE'] as const),
    ...(['INVALID_BASE64', 'UNSUPPORTED_FORMAT', 'UNKNOWN_FIELD'] as const),
  ],
  examples: [{ title: 'The front of a document', input: { front: '/9j/4AAQSkZJRg==' } }],
  async handle({ params, body, request }, context) {
    const token = readLink(context, request, params.token)
    const session = readMark(context, request)
    const view = await readSession(context.db, token, session)
    const sides = listSides(view).map(({ side }) => side)
    const extra = (['front', 'back', 'selfie'] as const).find(side => body[side] !== undefined && !sides.includes(side))
    if (extra) throw new Problem('INVALID_PARAM', { field: extra, reason: `only ${sides.join(', ')} are asked for` })
    const read = (side: keyof typeof body) => {
      const text = body[side]
      return text === undefined ? undefined : decodeBase64(text, side)
    }
    const visitor = { text: params.token, token, session }
    return showSession(context, await submit(context, view, visitor, read))
  },
})
