import { Type } from 'typebox'
import { Problem } from '#kit'
import { route } from '../../route.ts'
import { PRODUCTS, ProductState } from './schema.ts'

export default route({
  at: 'POST /v1/account/products/{product}/enable',
  summary: 'Enrol the account in a product. Repeating the call changes nothing.',
  keywords: 'activate a product, switch on, enrol, opt in',
  auth: ['key', 'wallet'],
  params: Type.Object({ product: Type.String({ pattern: '^[a-z][a-z0-9-]{0,63}$' }) }),
  reply: { status: 200, schema: ProductState },
  errors: ['NOT_FOUND', 'X402_NOT_APPLICABLE', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  handle({ params: { product } }) {
    if (!PRODUCTS.has(product)) throw new Problem('NOT_FOUND')
    return { product, enabled: true }
  },
})
