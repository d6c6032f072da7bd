import { Type } from 'typebox'
import { findWebDid } from '../../../tasks/products/receipt/did.ts'
import { defineCapability } from '../../product-capabilities.ts'

export default [
  defineCapability({
    name: 'receipts',
    schema: Type.Object({
      jobs: Type.Boolean({ description: 'Whether a job has a signed receipt.' }),
      x402: Type.Boolean({ description: 'Whether offers and answers of x402 are signed.' }),
      did: Type.Optional(Type.String({ description: 'Whose keys sign; left out where the address has no did:web.' })),
    }),
    describe({ config, payments, settings }) {
      const did = findWebDid(config.publicUrl)
      const x402 = payments !== undefined && settings.get('receipt.x402_enabled')
      return { jobs: true, x402, ...(did && { did }) }
    },
  }),
]
