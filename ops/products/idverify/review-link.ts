import { defineTokens } from '../../tokens.ts'

/** The links of reviewers, which the command line makes and the page takes. */
export const REVIEW = defineTokens('idr_', 'identity-review')
