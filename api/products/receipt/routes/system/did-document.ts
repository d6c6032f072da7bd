import { Type } from 'typebox'
import { Problem } from '#kit'
import { buildKeySet } from '../../../../../ops/products/witness/index.ts'
import { describeDid, findWebDid } from '../../../../../tasks/products/receipt/did.ts'
import { route } from '../../../../route.ts'
import { prepareDocument, sendDocument } from '../../../../routes/system/schema.ts'

const MAX_AGE_SECONDS = 300
const Any = Type.Object({}, { additionalProperties: true })

export default route({
  at: 'GET /.well-known/did.json',
  summary: 'Get the DID document (did:web) of this service, with the keys that sign offers and receipts of x402.',
  keywords: 'decentralized identifier, did web, verification method, x402 offer receipt',
  description: 'A service whose address has no did:web, because it has a path or no https, answers 404.',
  auth: ['none'],
  tool: false,
  reply: {
    status: 200,
    schema: Type.Object({
      '@context': Type.Array(Type.String()),
      id: Type.String(),
      verificationMethod: Type.Array(Any, { description: 'All keys, those that are retired included.' }),
      assertionMethod: Type.Array(Type.String(), { description: 'The key that signs now.' }),
    }),
  },
  errors: ['NOT_FOUND'],
  async handle(call, { db, config }) {
    const did = findWebDid(config.publicUrl)
    if (!did) throw new Problem('NOT_FOUND')
    const { keys } = await buildKeySet(db, config.secret)
    const text = JSON.stringify(describeDid(did, keys))
    sendDocument(call, await prepareDocument('application/did+json; charset=utf-8', text), MAX_AGE_SECONDS)
  },
})
