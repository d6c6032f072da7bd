import { Type } from 'typebox'
import { route } from '../../route.ts'
import { PRODUCTS, ShownProduct } from './shape.ts'

export default route({
  at: 'GET /v1/account/products',
  summary: 'The products an account can enrol in, and in which it is enrolled.',
  description: 'None needs enrolment at present: every operation is open to every account.',
  auth: ['key', 'wallet'],
  reply: { status: 200, schema: Type.Object({ products: Type.Array(ShownProduct) }) },
  errors: ['X402_NOT_APPLICABLE', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  handle: () => ({ products: [...PRODUCTS].map(product => ({ product, enabled: true })) }),
})
