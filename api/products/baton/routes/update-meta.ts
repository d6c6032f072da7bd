import { Type } from 'typebox'
import { Problem } from '#kit'
import { updateMeta } from '../../../../sql/baton/lifecycle.ts'
import { route } from '../../../route.ts'
import { BatonId, OWNER_AUTH, USE_ERRORS } from '../fields/access.ts'
import { NAMING_FIELDS } from '../fields/create.ts'
import { BatonMeta } from '../fields/meta.ts'
import { identifyVisitor } from '../visitor.ts'

const ALLOWED = Object.keys(NAMING_FIELDS)

export default route({
  at: 'POST /v1/baton/{id}/meta',
  summary: 'Change the name, description, tags, schemaRef, acl or rateLimits of a baton that you own.',
  keywords: 'rename, tags, access list, describe a baton',
  auth: OWNER_AUTH,
  params: BatonId,
  body: Type.Object(NAMING_FIELDS, { minProperties: 1, additionalProperties: true }),
  reply: { status: 200, schema: BatonMeta },
  errors: [...USE_ERRORS, 'INVALID_FIELD', 'INVALID_PARAM'],
  examples: [{ title: 'Name it', input: { name: 'Build log', tags: ['ci'] } }],

  handle({ caller, params, body, request }, context) {
    const field = Object.keys(body).find(name => !ALLOWED.includes(name))
    if (field !== undefined) throw new Problem('INVALID_FIELD', { field, allowed: ALLOWED })
    return updateMeta(context.db, identifyVisitor(context, { caller, params, request }), body)
  },
})
