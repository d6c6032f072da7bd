import type { Nouns } from '../../../cli/verb.ts'

export default {
  erasure: {
    certificate: {
      args: ['<account>'],
      summary:
        'Print what the erasure of an account has removed and left, by table, and the JWS that proves it by the published keys.',
    },
  },
} satisfies Nouns
