import { flagSetting, product } from '#kit'

const receipt = product({
  title: 'Receipts',
  summary: 'Signed statements of what a call was, what it was charged and who paid, for those who have to prove it.',
  family: 'jobs',
  problems: {
    JOB_NOT_ENDED: [409, 'The job has not ended yet, so there is no receipt; wait for its end and ask again.'],
  },
  settings: {
    'receipt.x402_enabled': flagSetting(
      true,
      'Whether offers and answers of x402 are signed, as the extension `offer-receipt` says.',
    ),
  },
})

export default receipt

declare module '../../kit/product.ts' {
  interface Products {
    receipt: typeof receipt
  }
}
