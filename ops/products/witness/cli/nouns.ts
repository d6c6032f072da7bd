import type { Nouns } from '../../../cli/verb.ts'

export default {
  witness: {
    keys: { args: [], summary: 'Print the keys that witness records are signed with, retired ones included.' },
    rotate: { args: [], summary: 'Sign with a new key from now on; the former one stays published.' },
    import: { args: ['<file>'], summary: 'Sign with an Ed25519 key of your own, as PEM (PKCS #8) or JWK.' },
  },
} satisfies Nouns
