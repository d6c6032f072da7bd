import { Type } from 'typebox'
import { route } from '../../route.ts'
import { PRODUCTS, ProductState } from './schema.ts'

export default route({
  at: 'GET /v1/account/products',
  summary: 'List the products an account can enrol in, and whether it is enrolled.',
  keywords: 'which products, is a product enabled',
  description: 'No product needs enrolment at present: every operation is open to every account.',
  auth: ['key', 'wallet'],
  reply: { status: 200, schema: Type.Object({ products: Type.Array(ProductState) }) },
  errors: ['X402_NOT_APPLICABLE', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  handle: () => ({ products: [...PRODUCTS].map(product => ({ product, enabled: true })) }),
})
