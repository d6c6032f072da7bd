import { Type } from 'typebox'
import { buildKeySet } from '../../../../../ops/products/witness/keys.ts'
import { route } from '../../../../route.ts'
import { prepareDocument, sendDocument } from '../../../../routes/system/schema.ts'

/** A key that was just replaced signs nothing more, so clients may keep the set for a while. */
const MAX_AGE_SECONDS = 300

export default route({
  at: 'GET /.well-known/jwks.json',
  summary: 'List the public keys that witness records are signed with, retired ones included.',
  keywords: 'public key, verify a witness, signature keys',
  auth: ['none'],
  reply: {
    status: 200,
    schema: Type.Object({
      keys: Type.Array(
        Type.Object({
          kty: Type.String(),
          crv: Type.String(),
          x: Type.String(),
          kid: Type.String({ description: 'The RFC 7638 thumbprint.' }),
          alg: Type.String(),
          use: Type.String(),
          svc_not_after: Type.Optional(
            Type.String({ format: 'date-time', description: 'Of a retired key: what it signed later is forged.' }),
          ),
        }),
      ),
    }),
  },
  errors: [],
  handle: async (call, { db, config }) => {
    const text = JSON.stringify(await buildKeySet(db, config.secret))
    sendDocument(call, await prepareDocument('application/json; charset=utf-8', text), MAX_AGE_SECONDS)
  },
})
